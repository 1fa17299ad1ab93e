// Writes a particle's stress: as it is, for the next sweep, and packed, for gathers.

fn store_stress(i: u32, s: Sym3, pressure: f32, strain_rate: f32) {
    stress[2u * i] = bitcast<vec4<u32>>(s.a);
    stress[2u * i + 1u] = bitcast<vec4<u32>>(vec4(s.b, pressure, strain_rate));
    stress[2u * params.capacity + i] = pack_stress(s, pressure);
}
