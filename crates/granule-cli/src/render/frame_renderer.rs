//! Draws frames of a run: camera, ground, walls, colours.

use std::collections::HashMap;
use std::path::Path;
use std::sync::Arc;

use glam::Vec3;
use granule::Contact;
use granule::boundary::Pose;
use granule::io::{FrameEntry, RunFrame, RunFrames, Shown, write_atomic};
use granule::scene::CameraSettings;
use granule_render::{
    Bounds, Camera, CameraChoice, CameraKey, CameraPath, Cut, DEFAULT_FOV_RADIANS, FieldView, Image, Legend,
    LegendSide, MeshInstance, Paint, RenderScene, RenderSettings, Renderer, ScalarGrid, SphereSource,
    SphereTag, robust_range,
};
use granule_scenery::{
    BodyModels, Colors, ForceScale, GRAINS_AMONG_BARS, WallShape, Walls, force_bars, material_paint,
    scalar_tags,
};

use super::distance::{DistanceField, cut_towards};
use super::field;
use super::request::RenderRequest;
use crate::failure::Failure;

/// Share of the particles that may lie outside the frame at each side, so that a stray grain does not shrink the heap.
const STRAY_SHARE: f64 = 0.002;
/// Frames that a video's camera and colours are chosen by.
const PROBES: usize = 5;

/// Draws frames of a run.
pub struct FrameRenderer<'a> {
    frames: &'a RunFrames,
    request: &'a RenderRequest,
    walls: Walls,
    bodies: BodyModels,
    /// Where bodies were, by frame and name.
    places: HashMap<(u64, String), Pose>,
    field: Option<DistanceField>,
}

/// What is the same in every picture of a video.
pub struct Setup {
    camera: CameraPath,
    legend: Option<Legend>,
    walls: Vec<WallShape>,
    /// What bars of contacts mean, where they are drawn.
    forces: Option<ForceScale>,
    /// The region that fields are sampled in, and the samples where no wall moves.
    field: Option<(Bounds, Option<Arc<ScalarGrid>>)>,
}

impl<'a> FrameRenderer<'a> {
    /// Sets up a run.
    pub fn new(frames: &'a RunFrames, request: &'a RenderRequest) -> Result<Self, Failure> {
        let scene = frames.scene();
        let field = request.field.as_ref().map(|field| DistanceField::new(scene, field)).transpose()?;
        let (walls, bodies) = (Walls::new(scene)?, BodyModels::new(scene)?);
        let places = frames.body_places()?.into_iter().map(|place| ((place.frame, place.name), place.pose));
        Ok(Self { frames, request, walls, bodies, places: places.collect(), field })
    }

    /// Reads what is to be drawn of a frame.
    pub fn read(&self, entry: &FrameEntry) -> Result<RunFrame, Failure> {
        Ok(self.frames.read(entry, self.request.show.map(Shown::from))?)
    }

    /// The run.
    pub fn frames(&self) -> &RunFrames {
        self.frames
    }

    /// Draws the chosen frame into a file.
    pub fn picture(&self, renderer: &mut Renderer, path: &Path) -> Result<(), Failure> {
        let frame = self.read(self.frames.choose(self.request.time)?)?;
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
        let probes = picks.map(|entry| self.read(entry)).collect::<Result<Vec<_>, _>>()?;
        self.setup(&probes)
    }

    fn setup(&self, probes: &[RunFrame]) -> Result<Setup, Failure> {
        let bounds = self.bounds(probes);
        let camera = self.camera(probes, &bounds);
        let field = self.field.as_ref().map(|field| {
            let region = field.region(&bounds);
            let grid = if field.moves() { None } else { Some(field.grid(&region, 0.0)?) };
            Ok::<_, Failure>((region, grid))
        });
        let walls = self.walls.shapes(&bounds);
        let (legend, forces) = (self.legend(probes)?, self.force_scale(probes)?);
        Ok(Setup { camera, legend, walls, forces, field: field.transpose()? })
    }

    /// The camera as requested, else the scene's own, else one that shows everything.
    fn camera(&self, probes: &[RunFrame], bounds: &Bounds) -> CameraPath {
        let own = self.frames.scene().camera.as_ref();
        let path = own.filter(|_| self.request.camera.is_none()).and_then(path_of);
        path.unwrap_or_else(|| CameraPath::still(self.still_camera(probes, bounds)))
    }

    fn still_camera(&self, probes: &[RunFrame], bounds: &Bounds) -> Camera {
        let [width, height] = self.request.size;
        let own = self.frames.scene().camera.as_ref();
        let fov_radians = own.map_or(DEFAULT_FOV_RADIANS, |camera| camera.fov.to_radians());
        let own_choice = own.and_then(|camera| {
            let (position, target) = (camera.position?.into(), camera.target?.into());
            Some(CameraChoice::Fixed { position, target })
        });
        let choice = self.request.camera.or(own_choice).unwrap_or_default();
        let all = probes.iter().flat_map(|frame| &frame.position);
        let mut points: Vec<Vec3> = all.map(|point| point.clamp(bounds.min, bounds.max)).collect();
        // A field is looked at as a whole.
        points.extend(self.field.iter().flat_map(|field| field.region(bounds).corners()));
        let bodies = probes.iter().flat_map(|frame| self.bodies_at(frame.number));
        points.extend(bodies.flat_map(|body| body.bounds().corners()));
        choice.camera(&points, fov_radians, width as f32 / height as f32)
    }

    /// The box to show: the particles without a few strays.
    fn bounds(&self, probes: &[RunFrame]) -> Bounds {
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

    /// The radius of the scene's particles [m], where all have the same.
    fn radius(&self) -> f32 {
        self.frames.scene().reference_radius()
    }

    fn bodies_at(&self, frame: u64) -> Vec<MeshInstance> {
        self.bodies.at(|name| self.places.get(&(frame, name.to_string())).copied())
    }

    fn legend(&self, probes: &[RunFrame]) -> Result<Option<Legend>, Failure> {
        let Some(name) = &self.request.color_by else { return Ok(None) };
        let found: Vec<Colors> = probes
            .iter()
            .map(|frame| field::values(frame, name))
            .collect::<Result<_, _>>()
            .map_err(Failure::Input)?;
        let mut unit = String::new();
        let mut all = Vec::new();
        for values in &found {
            let Colors::Scalar(values, its_unit) = values else { return Ok(None) };
            unit.clone_from(its_unit);
            all.extend_from_slice(values);
        }
        let range = self.request.range.unwrap_or_else(|| robust_range(all.into_iter()));
        Ok(Some(Legend { title: name.clone(), unit, map: self.request.map, range, side: LegendSide::Left }))
    }

    /// The contacts of a frame.
    fn contacts(&self, frame: u64) -> Result<Vec<Contact>, Failure> {
        Ok(self.frames.contacts(self.frames.entry_at(frame))?)
    }

    /// What bars mean in all frames, where contacts are drawn.
    fn force_scale(&self, probes: &[RunFrame]) -> Result<Option<ForceScale>, Failure> {
        if !self.request.contacts {
            return Ok(None);
        }
        let contacts =
            probes.iter().map(|frame| self.contacts(frame.number)).collect::<Result<Vec<_>, _>>()?;
        Ok(Some(ForceScale::of(contacts.iter().flatten(), self.radius(), self.request.map)))
    }

    /// Bars of the contacts of a frame that a cut leaves.
    fn bars(
        &self,
        scale: &ForceScale,
        frame: &RunFrame,
        cut: Option<&Cut>,
    ) -> Result<Option<MeshInstance>, Failure> {
        let shown = |contact: &Contact| cut.is_none_or(|cut| !cut.removes(contact.center));
        Ok(force_bars(&self.contacts(frame.number)?, scale, shown))
    }

    /// How grains are turned, where marks are to show it.
    fn orientations(&self, frame: &RunFrame) -> Option<Vec<[f32; 4]>> {
        let wanted = self.request.marks && self.request.color_by.is_none();
        let turned = frame.orientations("orientation").filter(|_| wanted)?;
        Some(turned.iter().map(|turn| turn.normalize().to_array()).collect())
    }

    /// Draws a frame; `share` says how much of a video is over.
    pub fn draw(
        &self,
        renderer: &mut Renderer,
        setup: &Setup,
        frame: &RunFrame,
        share: f32,
    ) -> Result<Image, Failure> {
        let turn = if self.request.turntable { std::f32::consts::TAU * share } else { 0.0 };
        let camera = setup.camera.at(frame.time).orbited(turn);
        let (mut tags, paint) = self.colors(setup, frame)?;
        let placed = frame.position.iter().zip(&frame.radius);
        let size = if setup.forces.is_some() { GRAINS_AMONG_BARS } else { 1.0 };
        let mut spheres: Vec<[f32; 4]> = placed.map(|(p, radius)| [p.x, p.y, p.z, size * radius]).collect();
        let mut orientations = self.orientations(frame);
        let cut = self.request.cut.map(|plane| cut_towards(camera.position, plane));
        if let Some(cut) = &cut {
            let removed: Vec<bool> = frame.position.iter().map(|p| cut.removes(*p)).collect();
            keep_others(&mut tags, &removed);
            orientations.iter_mut().for_each(|turns| keep_others(turns, &removed));
            spheres.retain(|[x, y, z, _]| !cut.removes(Vec3::new(*x, *y, *z)));
        }
        let mut scenery = self.walls.at_time(&setup.walls, frame.time);
        let mut legends: Vec<Legend> = setup.legend.iter().cloned().collect();
        let view = self.field_view(setup, frame.time, cut)?.map(|(view, legend)| {
            legends.extend(legend);
            // The field shows the walls already.
            scenery.meshes.clear();
            view
        });
        scenery.meshes.extend(self.bodies_at(frame.number));
        if let Some(scale) = &setup.forces {
            scenery.meshes.extend(self.bars(scale, frame, cut.as_ref())?);
            legends.push(scale.legend());
        }
        let subject = RenderScene {
            spheres: match &orientations {
                Some(turns) => SphereSource::Marked { spheres: &spheres, tags: &tags, orientations: turns },
                None => SphereSource::Uploaded { spheres: &spheres, tags: &tags },
            },
            paint: &paint,
            meshes: &scenery.meshes,
            field: view.as_ref(),
            ground: self.walls.ground(),
            lines: &scenery.lines,
            triangles: &[],
        };
        let [width, height] = self.request.size;
        let drawn = renderer.draw(&subject, &RenderSettings::new(width, height, camera), &legends);
        drawn.map_err(|error| Failure::Run(error.to_string()))
    }

    /// The view of the field at a time [s], with its legend.
    fn field_view(
        &self,
        setup: &Setup,
        time: f64,
        cut: Option<Cut>,
    ) -> Result<Option<(FieldView, Option<Legend>)>, Failure> {
        let (Some(field), Some((region, grid))) = (&self.field, &setup.field) else { return Ok(None) };
        let grid = grid.clone().map_or_else(|| field.grid(region, time), Ok)?;
        Ok(Some(field.view(grid, cut)))
    }

    fn colors(&self, setup: &Setup, frame: &RunFrame) -> Result<(Vec<SphereTag>, Paint), Failure> {
        let Some(name) = &self.request.color_by else { return Ok(self.material_colors(frame)) };
        match field::values(frame, name).map_err(Failure::Input)? {
            Colors::Scalar(values, _) => {
                let range = setup.legend.as_ref().map_or([0.0, 1.0], |legend| legend.range);
                let paint = Paint::Scalar { map: self.request.map, range };
                Ok((scalar_tags(&values, &frame.id), paint))
            }
            Colors::Direct(colors) => {
                let tags = colors.iter().zip(&frame.id).map(|(color, id)| SphereTag::of_color(*color, *id));
                Ok((tags.collect(), Paint::Direct))
            }
        }
    }

    /// The materials' own colours; the first one's where the frames do not say which is which.
    fn material_colors(&self, frame: &RunFrame) -> (Vec<SphereTag>, Paint) {
        let material = frame.data.integer("material");
        let value = |k: usize| material.map_or(0.0, |material| material[k] as f32);
        let tags = frame.id.iter().enumerate().map(|(k, id)| SphereTag { value: value(k), id: *id });
        (tags.collect(), material_paint(self.frames.scene()))
    }
}

/// Keeps what is not removed.
fn keep_others<T>(all: &mut Vec<T>, removed: &[bool]) {
    let mut removed = removed.iter();
    all.retain(|_| !removed.next().unwrap_or(&false));
}

/// The path through a scene's camera keys; `None` without any.
fn path_of(settings: &CameraSettings) -> Option<CameraPath> {
    let key = |key: &granule::scene::CameraKey| CameraKey {
        time: key.time,
        camera: Camera {
            position: key.eye.into(),
            target: key.target.into(),
            fov_radians: key.fov.unwrap_or(settings.fov).to_radians(),
        },
    };
    CameraPath::new(settings.keys.iter().map(key).collect())
}

/// Writes a picture; a reader sees all of it or nothing.
fn write_image(path: &Path, image: &Image) -> Result<(), Failure> {
    let written = write_atomic(path, |writer| image.write_png(writer));
    written.map_err(|error| Failure::Run(format!("{}: cannot write the picture: {error}", path.display())))
}
