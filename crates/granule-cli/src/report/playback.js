"use strict";
(async () => {
  const box = document.getElementById("playback");
  const data = JSON.parse(document.getElementById("playback-data").textContent);
  const [n, frames] = [data.grains, data.times.length];
  const canvas = box.querySelector("canvas"), slider = box.querySelector("input");
  const button = box.querySelector("button"), label = box.querySelector("output");
  const gl = canvas.getContext("webgl2", { antialias: true, preserveDrawingBuffer: true });
  if (!gl || typeof DecompressionStream === "undefined") {
    box.classList.add("failed");
    label.textContent = "This browser has no WebGL2 or cannot unpack the grains.";
    return;
  }
  const bytes = text => Uint8Array.from(atob(text), c => c.charCodeAt(0));
  const stream = new Blob([bytes(data.packed)]).stream().pipeThrough(new DecompressionStream("gzip"));
  const planes = new Uint8Array(await new Response(stream).arrayBuffer());
  const half = planes.length / 2, q = new Uint16Array(half);
  for (let axis = 0; axis < 3; axis++)
    for (let f = 0; f < frames; f++)
      for (let i = 0; i < n; i++) {
        const k = (axis * frames + f) * n + i;
        q[k] = ((f ? q[k - n] : 0) + (planes[k] | planes[half + k] << 8)) & 4095;
      }
  const shader = (kind, text) => {
    const s = gl.createShader(kind);
    gl.shaderSource(s, text);
    gl.compileShader(s);
    if (!gl.getShaderParameter(s, gl.COMPILE_STATUS)) throw new Error(gl.getShaderInfoLog(s));
    return s;
  };
  const program = gl.createProgram();
  gl.attachShader(program, shader(gl.VERTEX_SHADER, `#version 300 es
    layout(location=0) in float x; layout(location=1) in float y; layout(location=2) in float z; layout(location=3) in float r;
    uniform vec3 low, high, eye, right, up, ahead; uniform vec2 lens; uniform float largest, height;
    out vec3 tint; out float gone;
    void main() {
      vec3 p = mix(low, high, vec3(x, y, z) / 4094.0) - eye;
      float depth = dot(p, ahead), radius = r * largest;
      gone = x > 4094.5 ? 1.0 : 0.0;
      gl_Position = gone > 0.5 ? vec4(2.0, 2.0, 2.0, 1.0)
        : vec4(lens.x * dot(p, right), lens.y * dot(p, up), depth - 0.01 * lens.y, depth);
      gl_PointSize = max(1.5, height * lens.y * radius / max(depth, 1e-4));
      float h = fract(sin(float(gl_VertexID) * 12.9898) * 43758.5453);
      tint = mix(vec3(0.78, 0.64, 0.42), vec3(0.93, 0.84, 0.62), h);
    }`));
  gl.attachShader(program, shader(gl.FRAGMENT_SHADER, `#version 300 es
    precision highp float; in vec3 tint; in float gone; out vec4 color;
    void main() {
      vec2 c = 2.0 * gl_PointCoord - 1.0; float s = dot(c, c);
      if (s > 1.0 || gone > 0.5) discard;
      vec3 normal = vec3(c.x, -c.y, sqrt(1.0 - s));
      float light = 0.35 + 0.65 * max(0.0, dot(normal, normalize(vec3(-0.4, 0.8, 0.5))));
      color = vec4(tint * light, 1.0);
    }`));
  gl.linkProgram(program);
  gl.useProgram(program);
  const uniform = name => gl.getUniformLocation(program, name);
  const buffer = gl.createBuffer();
  gl.bindBuffer(gl.ARRAY_BUFFER, buffer);
  gl.bufferData(gl.ARRAY_BUFFER, q, gl.STATIC_DRAW);
  const sizes = gl.createBuffer();
  gl.bindBuffer(gl.ARRAY_BUFFER, sizes);
  gl.bufferData(gl.ARRAY_BUFFER, bytes(data.radius), gl.STATIC_DRAW);
  gl.enableVertexAttribArray(3);
  gl.vertexAttribPointer(3, 1, gl.UNSIGNED_BYTE, true, 0, 0);
  gl.enable(gl.DEPTH_TEST);
  const [low, high] = data.bounds, middle = low.map((a, k) => 0.5 * (a + high[k]));
  middle[1] = low[1] + 0.35 * (high[1] - low[1]);
  let [turn, tilt, far] = [0.5, 0.45, 0.95 * Math.hypot(...low.map((a, k) => high[k] - a))], playing = false, last = 0;
  const draw = () => {
    const frame = Number(slider.value), scale = Math.min(2, window.devicePixelRatio || 1);
    const [width, height] = [Math.round(canvas.clientWidth * scale), Math.round(canvas.clientHeight * scale)];
    if (canvas.width !== width || canvas.height !== height) [canvas.width, canvas.height] = [width, height];
    gl.viewport(0, 0, width, height);
    const dark = matchMedia("(prefers-color-scheme: dark)").matches;
    gl.clearColor(...(dark ? [0.12, 0.13, 0.15, 1] : [0.93, 0.92, 0.89, 1]));
    gl.clear(gl.COLOR_BUFFER_BIT | gl.DEPTH_BUFFER_BIT);
    const [ct, st, ch, sh] = [Math.cos(turn), Math.sin(turn), Math.cos(tilt), Math.sin(tilt)];
    const back = [ch * st, sh, ch * ct];
    gl.uniform3fv(uniform("eye"), middle.map((m, k) => m + far * back[k]));
    gl.uniform3fv(uniform("ahead"), back.map(b => -b));
    gl.uniform3fv(uniform("right"), [ct, 0, -st]);
    gl.uniform3fv(uniform("up"), [-sh * st, ch, -sh * ct]);
    gl.uniform3fv(uniform("low"), low);
    gl.uniform3fv(uniform("high"), high);
    gl.uniform2f(uniform("lens"), 2.2 * height / width, 2.2);
    gl.uniform1f(uniform("largest"), data.largest);
    gl.uniform1f(uniform("height"), height);
    gl.bindBuffer(gl.ARRAY_BUFFER, buffer);
    for (let axis = 0; axis < 3; axis++) {
      gl.enableVertexAttribArray(axis);
      gl.vertexAttribPointer(axis, 1, gl.UNSIGNED_SHORT, false, 0, 2 * (axis * frames + frame) * n);
    }
    gl.drawArrays(gl.POINTS, 0, n);
    label.textContent = data.times[frame].toFixed(2) + " s";
  };
  const tick = now => {
    if (playing) {
      const step = frames > 1 ? 1000 * (data.times[1] - data.times[0]) : 40;
      if (now - last >= step) {
        last = now;
        slider.value = (Number(slider.value) + 1) % frames;
        draw();
      }
      requestAnimationFrame(tick);
    }
  };
  button.addEventListener("click", () => {
    playing = !playing;
    button.textContent = playing ? "Pause" : "Play";
    requestAnimationFrame(tick);
  });
  slider.addEventListener("input", draw);
  canvas.addEventListener("pointerdown", event => canvas.setPointerCapture(event.pointerId));
  canvas.addEventListener("pointermove", event => {
    if (!event.buttons) return;
    turn -= 0.008 * event.movementX;
    tilt = Math.min(1.5, Math.max(-0.2, tilt + 0.008 * event.movementY));
    draw();
  });
  canvas.addEventListener("wheel", event => {
    event.preventDefault();
    far *= Math.exp(0.001 * event.deltaY);
    draw();
  }, { passive: false });
  addEventListener("resize", draw);
  slider.value = frames - 1;
  draw();
  box.classList.add("ready");
})();
