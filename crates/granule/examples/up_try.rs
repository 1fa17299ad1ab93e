#![allow(missing_docs, clippy::print_stdout)]
use glam::Vec3;
use granule::measure::fine;
use granule::stages::Stage;
use granule::upsample::Fault;
use granule::{Options, Scene, Simulation};
fn main() {
    let args: Vec<String> = std::env::args().collect();
    let ratio: f32 = args[2].parse().unwrap();
    let mut scene = Scene::open(&args[1], true, &[]).unwrap();
    let r = scene.material[0].radius;
    scene.upsample = Some(granule::scene::UpsampleSettings { radius: ratio * r });
    scene.quick.clear();
    let secs: f64 = args.get(3).map_or(scene.simulation.seconds, |s| s.parse().unwrap());
    let fault = match args.get(4).map(String::as_str) {
        Some("pub") => Some(Fault::PublishedShare),
        Some("slack") => Some(Fault::NoSlack),
        Some("contact") => Some(Fault::NoContact),
        Some("spread") => Some(Fault::NoSpreading),
        Some("sticky") => Some(Fault::StickyWalls),
        Some("euler") => Some(Fault::EulerFlight),
        _ => None,
    };
    let options = Options { threads: Some(2), upsample_fault: fault, ..Options::default() };
    let mut sim = Simulation::new(scene.clone(), &options).unwrap();
    let blue = fine::blue_noise(ratio * r);
    println!("blue {blue:?}");
    let fps = scene.simulation.fps;
    let frames = (secs * fps) as u64;
    let mut watch = fine::Watch::default();
    let mut time = 0.0;
    let mut n = 0.0;
    let mut before = Vec::new();
    for f in 0..=frames {
        if f > 0 {
            let mut t = 0.0;
            let _ = sim.run_frame(&mut |r, _| {
                t += r.stages.get(Stage::Upsample);
                std::ops::ControlFlow::Continue(())
            });
            time += t;
            n += sim.upsampler().unwrap().count() as f64;
        }
        let up = sim.upsampler().unwrap();
        let grains = up.read().unwrap();
        watch.frame(
            f as f64 / fps,
            1.0 / fps as f32,
            &grains,
            up.radius(),
            Vec3::NEG_Y * 9.81,
            up.guides(),
            up.boundaries(),
            0.577,
        );
        if f % (frames / 10).max(1) == 0 || f == frames {
            let p = fine::penetration(&grains, up.radius(), up.boundaries());
            let e = fine::evenness_inside(&grains, up.radius(), up.guides(), up.boundaries());
            let guides: Vec<Vec3> = up.guides().guide.iter().map(|g| g.position.into()).collect();
            let v = fine::volume_ratio(&grains, up.radius(), &guides, r);
            let drift = fine::drift(&before, &grains) / r as f64;
            println!(
                "t {:.2} guides {} grains {} vol {v:.4} pen {:.1e} {:.2} clump {:.2} mean {:.2}/{:.2} q {:.2} n {} stuck {} arc {:.1e} of {} drift {drift:.3} totals {:?} {:.0} ns/grain",
                f as f64 / fps,
                guides.len(),
                grains.len(),
                p.share,
                p.deepest,
                e.variance / blue.variance,
                e.mean,
                blue.mean,
                e.nearest,
                e.count,
                watch.stuck,
                watch.off_arc,
                watch.flights,
                up.totals(),
                time / f64::max(n, 1.0) * 1e9
            );
            {
                use std::collections::HashMap;
                let h = 3.0 * up.radius();
                let key = |x: Vec3| {
                    let c = (x / h).floor();
                    (c.x as i32, c.y as i32, c.z as i32)
                };
                let mut m: HashMap<(i32, i32, i32), Vec<usize>> = HashMap::new();
                for (k, g) in grains.iter().enumerate() {
                    m.entry(key(g.position.into())).or_default().push(k);
                }
                let mut v: Vec<_> = m.iter().collect();
                v.sort_by_key(|(_, l)| std::cmp::Reverse(l.len()));
                let mut hist = [0usize; 12];
                for (_, l) in &v {
                    hist[(l.len() / 2).min(11)] += 1;
                }
                println!("   cells hist(2) {hist:?}");
                for (_, l) in v.iter().take(4) {
                    let g = &grains[l[0]];
                    let g2 = &grains[l[l.len() - 1]];
                    let x = Vec3::from(g.position);
                    println!(
                        "   crowd {} at {:?} v {:?} / {:?} wall {:.2} r sum {:.2}",
                        l.len(),
                        g.position,
                        g.velocity,
                        g2.velocity,
                        up.boundaries().distance(x) / up.radius(),
                        fine::weight_sum(up.guides(), x)
                    );
                }
            }
            before = grains;
        }
    }
    println!("hash {:x}", sim.simulator().state_hash());
}
