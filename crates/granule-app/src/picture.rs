//! A published frame as things to draw.

use glam::Vec3;
use granule::live::Frame;
use granule::scene::Scene;
use granule::simulator::{FieldData, FieldInfo, FieldKind};
use granule::upsample::Grain;
use granule_gpu::ParticleView;
use granule_render::{
    Bounds, FieldView, Legend, LegendSide, MeshInstance, Paint, SphereBuffers, SphereSource, SphereTag,
    TagBuffers, robust_range,
};
use granule_scenery::{
    BodyModels, ForceScale, GRAINS_AMONG_BARS, Scenery, SceneryError, WallShape, Walls, direction_colors,
    force_bars, material_paint, scalar_tags,
};

use crate::look::{Look, MATERIAL};
use crate::publisher::FineGrains;

/// Colours that follow from other fields.
const SPEED: &str = "speed";
const HEIGHT: &str = "height";

/// Walls and bodies of a scene.
pub struct Stage {
    walls: Walls,
    shapes: Vec<WallShape>,
    bodies: BodyModels,
    /// The region that walls are drawn in.
    pub region: Bounds,
}

impl Stage {
    /// The walls around the grains of a frame, and its bodies.
    ///
    /// # Errors
    /// Names the wall or body that cannot be drawn.
    pub fn new(scene: &Scene, region: Bounds) -> Result<Self, SceneryError> {
        let walls = Walls::new(scene)?;
        let shapes = walls.shapes(&region);
        Ok(Self { walls, shapes, bodies: BodyModels::new(scene)?, region })
    }

    /// Height of the ground \[m\].
    pub fn ground(&self) -> Option<f32> {
        self.walls.ground()
    }

    /// Walls and bodies where they are in a frame.
    pub fn at(&self, frame: &Frame, with_walls: bool) -> Scenery {
        let mut scenery = match with_walls {
            true => self.walls.at_poses(&self.shapes, &frame.boundaries),
            false => Scenery::default(),
        };
        let pose = |name: &str| frame.bodies.iter().find(|body| body.name == name).map(|body| body.pose);
        scenery.meshes.extend(self.bodies.at(pose));
        scenery
    }
}

/// Grains, coloured.
pub struct Grains {
    /// Where they are on the device that draws; then none is in memory.
    pub on_device: Option<ParticleView>,
    /// Spheres as (x, y, z, radius) \[m\].
    pub spheres: Vec<[f32; 4]>,
    /// One per sphere.
    pub tags: Vec<SphereTag>,
    /// How each is turned, as (x, y, z, w), where marks show it; else empty.
    pub orientations: Vec<[f32; 4]>,
    /// Contacts as bars, where they are drawn.
    pub bars: Option<MeshInstance>,
    /// How tags become colours.
    pub paint: Paint,
    /// What colours mean.
    pub legend: Option<Legend>,
    /// The plane that cuts sand open, where it shows a field.
    pub field: Option<FieldView>,
}

impl Grains {
    /// The grains of a frame.
    pub fn of(frame: &Frame, look: &Look) -> Self {
        let position = frame.snapshot.vec3("position").unwrap_or_default();
        let radius = frame.scene.reference_radius();
        let radii = frame.snapshot.scalar("radius");
        let sphere =
            |(k, [x, y, z]): (usize, &[f32; 3])| [*x, *y, *z, radii.map_or(radius, |radii| radii[k])];
        let mut spheres: Vec<[f32; 4]> = position.iter().enumerate().map(sphere).collect();
        let mut orientations = orientations(frame, look);
        if orientations.len() != spheres.len() {
            orientations.clear();
        }
        let mut id: Vec<u32> = frame.snapshot.integer("id").map_or_else(Vec::new, <[u32]>::to_vec);
        id.resize(spheres.len(), 0);
        let colored = colors(frame, look, position, &id);
        let (mut tags, paint, mut legend) = colored.unwrap_or_else(|| {
            let material = frame.snapshot.integer("material");
            let value = |k: usize| material.and_then(|m| m.get(k)).map_or(0.0, |m| *m as f32);
            let tags = id.iter().enumerate().map(|(k, id)| SphereTag { value: value(k), id: *id });
            (tags.collect(), material_paint(&frame.scene), None)
        });
        let mut field = None;
        if let Some(cut) = &look.cut {
            if let (true, Paint::Scalar { map, range }) = (cut.field, &paint) {
                let values: Vec<f32> = tags.iter().map(|tag| tag.value).collect();
                field = cut.field(position, &values, radius, *map, *range);
            }
            let mut kept = position.iter().map(|place| !cut.removes(place));
            spheres.retain(|_| kept.next().unwrap_or(true));
            let mut kept = position.iter().map(|place| !cut.removes(place));
            tags.retain(|_| kept.next().unwrap_or(true));
            let mut kept = position.iter().map(|place| !cut.removes(place));
            orientations.retain(|_| kept.next().unwrap_or(true));
        }
        let mut bars = None;
        if look.contacts && !frame.contacts.is_empty() {
            let scale = ForceScale::of(frame.contacts.iter(), radius, look.map);
            let shown = |place: Vec3| look.cut.as_ref().is_none_or(|cut| !cut.removes(&place.to_array()));
            bars = force_bars(&frame.contacts, &scale, |contact| shown(contact.center));
            legend = legend.or_else(|| Some(Legend { side: LegendSide::Left, ..scale.legend() }));
            spheres.iter_mut().for_each(|sphere| sphere[3] *= GRAINS_AMONG_BARS);
        }
        Self { on_device: None, spheres, tags, orientations, bars, paint, legend, field }
    }

    /// No grains.
    fn none(paint: Paint, legend: Option<Legend>) -> Self {
        let (spheres, tags, orientations) = (Vec::new(), Vec::new(), Vec::new());
        Self { on_device: None, spheres, tags, orientations, bars: None, paint, legend, field: None }
    }

    /// The grains of a frame that lie on the device.
    pub fn on_device(frame: &Frame, look: &Look, view: ParticleView) -> Self {
        let name = look.color_by.as_str();
        let (paint, legend) = match name {
            MATERIAL => (material_paint(&frame.scene), None),
            _ => {
                let unit =
                    frame.fields.iter().find(|field| field.name == name).map_or("", |field| field.unit);
                // The values are not seen here: the range is a guess until it is fixed.
                let guess = match name {
                    SPEED => [0.0, (frame.statistics.max_speed as f32).max(1e-6)],
                    "density" => [0.8, 1.1],
                    _ => [0.0, 1.0],
                };
                let (paint, legend) = scalar_paint(look, look.range.unwrap_or(guess), unit);
                (paint, Some(legend))
            }
        };
        Self { on_device: Some(view), ..Self::none(paint, legend) }
    }

    /// The fine grains of a frame: coloured by their material, or by their speed.
    pub fn fine(frame: &Frame, look: &Look, grains: FineGrains) -> Self {
        let speeds = look.color_by == SPEED;
        let (paint, legend) = if speeds {
            let fastest = (frame.statistics.max_speed as f32).max(1e-6);
            let (paint, legend) = scalar_paint(look, look.range.unwrap_or([0.0, fastest]), "m/s");
            (paint, Some(legend))
        } else {
            (material_paint(&frame.scene), None)
        };
        let empty = Self::none(paint, legend);
        let (grains, radii) = match grains {
            FineGrains::Device(view) => return Self { on_device: Some(view), ..empty },
            FineGrains::Memory(grains, radii) => (grains, radii),
        };
        let shown = |grain: &&Grain| look.cut.is_none_or(|cut| !cut.removes(&grain.position));
        let sphere = |grain: &Grain| {
            let [x, y, z] = grain.position;
            let value = if speeds { Vec3::from(grain.velocity).length() } else { grain.material as f32 };
            ([x, y, z, radii.of(grain.id)], SphereTag { value, id: grain.id })
        };
        let (spheres, tags) = grains.iter().filter(shown).map(sphere).unzip();
        Self { spheres, tags, ..empty }
    }

    /// What the renderer takes.
    pub fn source(&self) -> SphereSource<'_> {
        match &self.on_device {
            None if self.orientations.is_empty() => {
                SphereSource::Uploaded { spheres: &self.spheres, tags: &self.tags }
            }
            None => SphereSource::Marked {
                spheres: &self.spheres,
                tags: &self.tags,
                orientations: &self.orientations,
            },
            Some(view) => SphereSource::Buffers(SphereBuffers {
                spheres: &view.spheres,
                tags: TagBuffers::Tags(&view.tags),
                draw: &view.draw,
                draw_offset: 0,
                bounds: Bounds { min: view.bounds[0], max: view.bounds[1] },
                radius: view.radius,
            }),
        }
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.on_device.is_none() && self.spheres.is_empty()
    }

    /// The box around all grains \[m\].
    pub fn bounds(&self) -> Option<Bounds> {
        self.source().bounds()
    }
}

/// How grains are turned, where marks are to show it.
fn orientations(frame: &Frame, look: &Look) -> Vec<[f32; 4]> {
    match frame.snapshot.column("orientation") {
        Some(FieldData::Quaternion(turns)) if look.marks && look.color_by == MATERIAL => turns.clone(),
        _ => Vec::new(),
    }
}

type Colored = (Vec<SphereTag>, Paint, Option<Legend>);

/// The colours that a look asks for; none where the frame does not hold its field.
fn colors(frame: &Frame, look: &Look, position: &[[f32; 3]], id: &[u32]) -> Option<Colored> {
    let name = look.color_by.as_str();
    let (values, unit) = match name {
        MATERIAL => return None,
        HEIGHT => (position.iter().map(|x| x[1]).collect(), "m"),
        SPEED => {
            let velocity = frame.snapshot.vec3("velocity")?;
            (velocity.iter().map(|v| Vec3::from(*v).length()).collect(), "m/s")
        }
        _ => match frame.snapshot.columns.iter().find(|(info, _)| info.name == name)? {
            (info, FieldData::Scalar(values)) => (values.clone(), info.unit),
            (info, FieldData::Integer(values)) => {
                (values.iter().map(|v| *v as f32).collect::<Vec<f32>>(), info.unit)
            }
            (_, FieldData::Vec3(values)) => {
                let vectors: Vec<Vec3> = values.iter().map(|v| Vec3::from(*v)).collect();
                let tags = direction_colors(&vectors).into_iter().zip(id);
                return Some((
                    tags.map(|(c, id)| SphereTag::of_color(c, *id)).collect(),
                    Paint::Direct,
                    None,
                ));
            }
            (_, FieldData::Quaternion(_) | FieldData::Tensor(_)) => return None,
        },
    };
    if values.len() != id.len() {
        return None;
    }
    let range = look.range.unwrap_or_else(|| robust_range(values.iter().copied()));
    let (paint, legend) = scalar_paint(look, range, unit);
    Some((scalar_tags(&values, id), paint, Some(legend)))
}

/// Paint and legend of numbers.
fn scalar_paint(look: &Look, range: [f32; 2], unit: &str) -> (Paint, Legend) {
    let unit = if unit == "1" { String::new() } else { unit.into() };
    let legend = Legend { title: look.color_by.clone(), unit, map: look.map, range, side: LegendSide::Left };
    (Paint::Scalar { map: look.map, range }, legend)
}

/// All that grains can be coloured by.
pub fn color_choices(fields: &[FieldInfo]) -> Vec<&'static str> {
    let has = |name: &str| fields.iter().any(|field| field.name == name);
    let derived = [(MATERIAL, true), (SPEED, has("velocity")), (HEIGHT, true)];
    let shown = |kind| matches!(kind, FieldKind::Integer | FieldKind::Scalar | FieldKind::Vec3);
    let known = |name| matches!(name, "position" | MATERIAL | SPEED | HEIGHT);
    let own = fields.iter().filter(|field| shown(field.kind) && !known(field.name));
    derived.into_iter().filter(|(_, there)| *there).map(|(name, _)| name).chain(own.map(|f| f.name)).collect()
}

/// The fields that a live run has to publish for a look.
pub fn needed_fields(fields: &[FieldInfo], look: &Look) -> Vec<&'static str> {
    let wanted = |name: &str| match look.color_by.as_str() {
        SPEED => name == "velocity",
        other => name == other,
    };
    let always = |name: &str| matches!(name, "position" | "id" | "material" | "radius");
    let marks = |name: &str| name == "orientation" && look.marks && look.color_by == MATERIAL;
    let needed = |name: &&str| always(name) || wanted(name) || marks(name);
    fields.iter().map(|field| field.name).filter(needed).collect()
}

/// Whether a field has numbers that a colour map can show.
pub fn is_number(fields: &[FieldInfo], name: &str) -> bool {
    let vector = fields.iter().any(|field| field.name == name && field.kind == FieldKind::Vec3);
    name != MATERIAL && !vector
}
