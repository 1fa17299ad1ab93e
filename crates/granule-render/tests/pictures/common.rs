//! What the tests of pictures share.

use glam::{DVec3, Vec3};
use granule_render::{Camera, GpuRenderer, Image, Paint, RenderScene, SphereSource, SphereTag, View};

/// A renderer on the machine's best adapter; nothing where the test is to be skipped for want of one.
pub fn gpu() -> Option<GpuRenderer> {
    granule_testing::device().map(|device| GpuRenderer::new(device).unwrap())
}

/// Tags for spheres of the first material.
pub fn tags(count: usize) -> Vec<SphereTag> {
    (0..count as u32).map(|id| SphereTag { value: 0.0, id }).collect()
}

/// Paint of one material.
pub fn sand() -> Paint {
    Paint::Material { albedo: vec![Vec3::new(0.76, 0.60, 0.36)] }
}

/// Spheres and nothing else.
pub fn only_spheres<'a>(spheres: &'a [[f32; 4]], tags: &'a [SphereTag], paint: &'a Paint) -> RenderScene<'a> {
    RenderScene { spheres: SphereSource::Uploaded { spheres, tags }, ..nothing(paint) }
}

/// A picture of nothing.
pub fn nothing(paint: &Paint) -> RenderScene<'_> {
    RenderScene {
        spheres: SphereSource::NONE,
        paint,
        meshes: &[],
        field: None,
        ground: None,
        lines: &[],
        triangles: &[],
    }
}

/// What a ray meets: the sphere's number and the distance along the view direction [m].
pub struct Hit {
    pub sphere: usize,
    pub distance: f64,
}

/// The nearest sphere that a ray from the eye through a point of the picture meets, in double precision.
pub fn cast(camera: &Camera, view: &View, spheres: &[[f32; 4]], u: f64, v: f64) -> Option<Hit> {
    let axes = view.world_from_view.as_dmat3();
    let [tan_x, tan_y] = view.tangent.map(f64::from);
    let ray = (axes * DVec3::new((2.0 * u - 1.0) * tan_x, (1.0 - 2.0 * v) * tan_y, -1.0)).normalize();
    let eye = camera.position.as_dvec3();
    let meet = |(sphere, ball): (usize, &[f32; 4])| {
        let [x, y, z, radius] = ball.map(f64::from);
        let center = DVec3::new(x, y, z) - eye;
        let along = center.dot(ray);
        let h = radius * radius - (center - along * ray).length_squared();
        let t = along - h.max(0.0).sqrt();
        let distance = t * -(axes.z_axis.dot(ray));
        (h >= 0.0 && t > 0.0).then_some(Hit { sphere, distance })
    };
    let hits = spheres.iter().enumerate().filter_map(meet);
    hits.min_by(|a, b| a.distance.total_cmp(&b.distance))
}

/// Mean difference of all colours, of 255.
pub fn difference(a: &Image, b: &Image) -> f64 {
    let sum: u64 = a.bytes().iter().zip(b.bytes()).map(|(a, b)| u64::from(a.abs_diff(*b))).sum();
    sum as f64 / a.bytes().len() as f64
}

/// Mean of a pixel's colours, of 255.
pub fn brightness(image: &Image, x: u32, y: u32) -> f64 {
    image.pixel(x, y)[..3].iter().map(|part| f64::from(*part)).sum::<f64>() / 3.0
}
