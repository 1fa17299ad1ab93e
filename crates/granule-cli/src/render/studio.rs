//! A run set up for pictures: camera, ground, walls, colours.

use std::path::Path;

use glam::Vec3;
use granule::io::{FrameEntry, write_atomic};
use granule_render::{
    Bounds, Camera, CameraChoice, ColorMap, DEFAULT_FOV_RADIANS, Image, Legend, Look, Paint, Renderer,
    SphereTag, Subject, robust_range,
};

use super::boundaries::{Scenery, Walls};
use super::field::{self, Values};
use super::frames::{Frame, RunFrames};
use crate::args::RenderArgs;
use crate::failure::Failure;

/// Size of pictures that ask for none [pixels].
pub const DEFAULT_SIZE: [u32; 2] = [1280, 720];
/// Share of the particles that may lie outside the frame at each side, so that a stray grain does not shrink the heap.
const STRAY_SHARE: f64 = 0.002;
/// Frames that a video's camera and colours are chosen by.
const PROBES: usize = 5;

/// What a user wants to see.
pub struct Wishes {
    size: [u32; 2],
    time: Option<f64>,
    color_by: Option<String>,
    range: Option<[f32; 2]>,
    map: ColorMap,
    camera: Option<CameraChoice>,
    turntable: bool,
}

impl Default for Wishes {
    fn default() -> Self {
        Self {
            size: DEFAULT_SIZE,
            time: None,
            color_by: None,
            range: None,
            map: ColorMap::default(),
            camera: None,
            turntable: false,
        }
    }
}

impl Wishes {
    /// The wishes on the command line.
    pub fn of(args: &RenderArgs) -> Result<Self, Failure> {
        let color_by = args.color_by.clone().filter(|name| name != field::MATERIAL);
        if args.range.is_some() && color_by.is_none() {
            return Err(Failure::Input("--range needs --color-by with a field of numbers".into()));
        }
        Ok(Self {
            size: args.size,
            time: args.time,
            color_by,
            range: args.range,
            map: args.colormap,
            camera: args.camera,
            turntable: args.turntable,
        })
    }
}

/// A run set up for pictures.
pub struct Studio<'a> {
    frames: &'a RunFrames,
    wishes: &'a Wishes,
    walls: Walls,
}

/// What is the same in every picture of a video.
pub struct Setup {
    camera: Camera,
    legend: Option<Legend>,
    walls: Vec<Scenery>,
}

impl<'a> Studio<'a> {
    /// Sets up a run.
    pub fn new(frames: &'a RunFrames, wishes: &'a Wishes) -> Result<Self, Failure> {
        Ok(Self { frames, wishes, walls: Walls::new(frames.scene())? })
    }

    /// The run.
    pub fn frames(&self) -> &RunFrames {
        self.frames
    }

    /// Draws the chosen frame into a file.
    pub fn picture(&self, renderer: &mut Renderer, path: &Path) -> Result<(), Failure> {
        let frame = self.frames.read(self.frames.choose(self.wishes.time)?)?;
        let setup = self.setup(std::slice::from_ref(&frame))?;
        let image = self.draw(renderer, &setup, &frame, 0.0)?;
        write_image(path, &image)
    }

    /// Camera and colours for a video: those that suit frames from beginning to end.
    pub fn setup_for_all(&self) -> Result<Setup, Failure> {
        let full: Vec<&FrameEntry> =
            self.frames.entries().iter().filter(|entry| entry.particles > 0).collect();
        if full.is_empty() {
            self.frames.choose(None)?;
        }
        let picks = (0..PROBES).map(|k| full[k * (full.len() - 1) / (PROBES - 1)]);
        let probes = picks.map(|entry| self.frames.read(entry)).collect::<Result<Vec<_>, _>>()?;
        self.setup(&probes)
    }

    fn setup(&self, probes: &[Frame]) -> Result<Setup, Failure> {
        let bounds = self.bounds(probes);
        let camera = self.camera(probes, &bounds);
        Ok(Setup { camera, legend: self.legend(probes)?, walls: self.walls.meshes(&bounds) })
    }

    /// The camera as wished, else the scene's own, else one that shows everything.
    fn camera(&self, probes: &[Frame], bounds: &Bounds) -> Camera {
        let [width, height] = self.wishes.size;
        let own = self.frames.scene().camera;
        let fov_radians = own.map_or(DEFAULT_FOV_RADIANS, |camera| camera.fov.to_radians());
        let own_choice = own.map(|camera| CameraChoice::Fixed {
            position: camera.position.into(),
            target: camera.target.into(),
        });
        let choice = self.wishes.camera.or(own_choice).unwrap_or_default();
        let all = probes.iter().flat_map(|frame| &frame.position);
        let points: Vec<Vec3> = all.map(|point| point.clamp(bounds.min, bounds.max)).collect();
        choice.camera(&points, fov_radians, width as f32 / height as f32)
    }

    /// The box to show: the particles without a few strays.
    fn bounds(&self, probes: &[Frame]) -> Bounds {
        let axis = |axis: usize| {
            let mut values: Vec<f32> =
                probes.iter().flat_map(|frame| &frame.position).map(|p| p[axis]).collect();
            values.sort_by(f32::total_cmp);
            let last = values.len().saturating_sub(1);
            let stray = (STRAY_SHARE * last as f64) as usize;
            let at = |k: usize| values.get(k).copied().unwrap_or(0.0);
            [at(stray), at(last - stray)]
        };
        let [x, y, z] = [axis(0), axis(1), axis(2)];
        let room = Vec3::splat(self.radius());
        Bounds { min: Vec3::new(x[0], y[0], z[0]) - room, max: Vec3::new(x[1], y[1], z[1]) + room }
    }

    /// The radius of the scene's particles [m]; all have the same.
    fn radius(&self) -> f32 {
        self.frames.scene().material.first().map_or(0.01, |material| material.radius)
    }

    fn legend(&self, probes: &[Frame]) -> Result<Option<Legend>, Failure> {
        let Some(name) = &self.wishes.color_by else { return Ok(None) };
        let found: Vec<Values> = probes
            .iter()
            .map(|frame| field::values(frame, name))
            .collect::<Result<_, _>>()
            .map_err(Failure::Input)?;
        let mut unit = String::new();
        let mut all = Vec::new();
        for values in &found {
            let Values::Scalar(values, its_unit) = values else { return Ok(None) };
            unit.clone_from(its_unit);
            all.extend_from_slice(values);
        }
        let range = self.wishes.range.unwrap_or_else(|| robust_range(all.into_iter()));
        Ok(Some(Legend { title: name.clone(), unit, map: self.wishes.map, range }))
    }

    /// Draws a frame; `share` says how much of a video is over.
    pub fn draw(
        &self,
        renderer: &mut Renderer,
        setup: &Setup,
        frame: &Frame,
        share: f32,
    ) -> Result<Image, Failure> {
        let radius = self.radius();
        let spheres: Vec<[f32; 4]> = frame.position.iter().map(|p| [p.x, p.y, p.z, radius]).collect();
        let (tags, paint) = self.colors(setup, frame)?;
        let scenery = self.walls.at(&setup.walls, frame.time);
        let subject = Subject {
            spheres: SphereSource::Uploaded { spheres: &spheres, tags: &tags },
            paint: &paint,
            meshes: &[],
            field: None,
            ground: self.walls.ground(),
            lines: &scenery.lines,
            triangles: &scenery.triangles,
        };
        let [width, height] = self.wishes.size;
        let turn = if self.wishes.turntable { std::f32::consts::TAU * share } else { 0.0 };
        let look = Look::new(width, height, setup.camera.orbited(turn));
        let drawn = renderer.draw(&subject, &look, setup.legend.as_ref());
        drawn.map_err(|error| Failure::Run(error.to_string()))
    }

    fn colors(&self, setup: &Setup, frame: &Frame) -> Result<(Vec<SphereTag>, Paint), Failure> {
        let Some(name) = &self.wishes.color_by else { return Ok(self.material_colors(frame)) };
        match field::values(frame, name).map_err(Failure::Input)? {
            Values::Scalar(values, _) => {
                let range = setup.legend.as_ref().map_or([0.0, 1.0], |legend| legend.range);
                let paint = Paint::Scalar { map: self.wishes.map, range };
                Ok((field::scalar_tags(&values, &frame.id), paint))
            }
            Values::Direct(colors) => {
                let tags = colors.iter().zip(&frame.id).map(|(color, id)| SphereTag::of_color(*color, *id));
                Ok((tags.collect(), Paint::Direct))
            }
        }
    }

    /// The materials' own colours; the first one's where the frames do not say which is which.
    fn material_colors(&self, frame: &Frame) -> (Vec<SphereTag>, Paint) {
        let material = frame.data.integer("material");
        let value = |k: usize| material.map_or(0.0, |material| material[k] as f32);
        let tags = frame.id.iter().enumerate().map(|(k, id)| SphereTag { value: value(k), id: *id });
        let albedo = self.frames.scene().material.iter().map(|material| Vec3::from(material.albedo));
        (tags.collect(), Paint::Material { albedo: albedo.collect() })
    }
}

/// Writes a picture; a reader sees all of it or nothing.
pub fn write_image(path: &Path, image: &Image) -> Result<(), Failure> {
    let written = write_atomic(path, |writer| image.write_png(writer));
    written.map_err(|error| Failure::Run(format!("{}: cannot write the picture: {error}", path.display())))
}
