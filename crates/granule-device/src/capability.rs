//! What an adapter can do, known before any shader is compiled.

use wgpu::{Adapter, Backend, DownlevelFlags, Limits};

/// Reads one limit.
type LimitOf = fn(&Limits) -> u32;

/// What a device is wanted for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Purpose {
    /// Simulation by compute shaders.
    Compute,
    /// Pictures.
    Draw,
}

impl Purpose {
    /// Flags of the driver that shaders for this purpose rely on.
    fn flags(self) -> &'static [(DownlevelFlags, &'static str)] {
        match self {
            Self::Compute => &[
                (DownlevelFlags::COMPUTE_SHADERS, "compute shaders"),
                (DownlevelFlags::INDIRECT_EXECUTION, "indirect dispatch"),
            ],
            Self::Draw => &[
                (DownlevelFlags::FRAGMENT_STORAGE, "storage buffers in fragment shaders"),
                (DownlevelFlags::COMPARISON_SAMPLERS, "comparison samplers"),
            ],
        }
    }

    /// Limits that shaders for this purpose are written for, those that WebGPU guarantees, by name. Sizes of buffers and
    /// textures are not among them: scenes and pictures are measured against these when they come.
    fn limits(self) -> Vec<(&'static str, LimitOf)> {
        match self {
            Self::Compute => vec![
                ("storage buffers per shader", |limits| limits.max_storage_buffers_per_shader_stage),
                ("uniform buffers per shader", |limits| limits.max_uniform_buffers_per_shader_stage),
                ("bind groups", |limits| limits.max_bind_groups),
                ("threads per workgroup", |limits| limits.max_compute_invocations_per_workgroup),
                ("threads of a workgroup along x", |limits| limits.max_compute_workgroup_size_x),
                ("bytes shared by a workgroup", |limits| limits.max_compute_workgroup_storage_size),
            ],
            Self::Draw => vec![
                ("sampled textures per shader", |limits| limits.max_sampled_textures_per_shader_stage),
                ("vertex buffers", |limits| limits.max_vertex_buffers),
                ("vertex attributes", |limits| limits.max_vertex_attributes),
            ],
        }
    }
}

/// What is known of an adapter's abilities without opening it.
#[derive(Clone, Debug)]
pub(crate) struct Capability {
    backend: Backend,
    flags: DownlevelFlags,
    limits: Limits,
}

impl Capability {
    pub(crate) fn of(adapter: &Adapter) -> Self {
        Self {
            backend: adapter.get_info().backend,
            flags: adapter.get_downlevel_capabilities().flags,
            limits: adapter.limits(),
        }
    }

    /// The first thing that the adapter lacks for a purpose, in words; nothing where it has all.
    pub(crate) fn lack(&self, purpose: Purpose) -> Option<String> {
        // naga cannot write `textureLoad` from a depth texture in GLSL; the renderer's shaders load depths.
        if purpose == Purpose::Draw && self.backend == Backend::Gl {
            return Some("OpenGL shaders cannot load from depth textures".into());
        }
        let flags = purpose.flags().iter();
        let missing =
            flags.filter(|(flag, _)| !self.flags.contains(*flag)).map(|(_, word)| format!("no {word}"));
        let guaranteed = Limits::default();
        let limits = purpose.limits().into_iter();
        let short = limits.map(|(word, of)| (word, of(&self.limits), of(&guaranteed)));
        let short = short.filter(|(_, found, needed)| found < needed);
        let short = short.map(|(word, found, needed)| format!("{found} {word} of {needed} that are needed"));
        missing.chain(short).next()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn capable(backend: Backend) -> Capability {
        Capability { backend, flags: DownlevelFlags::all(), limits: Limits::default() }
    }

    #[test]
    fn what_webgpu_guarantees_is_enough() {
        for purpose in [Purpose::Compute, Purpose::Draw] {
            assert_eq!(capable(Backend::Vulkan).lack(purpose), None, "{purpose:?}");
        }
    }

    #[test]
    fn opengl_computes_but_does_not_draw() {
        let gl = capable(Backend::Gl);
        assert_eq!(gl.lack(Purpose::Compute), None);
        assert!(gl.lack(Purpose::Draw).is_some_and(|words| words.contains("depth")));
    }

    #[test]
    fn missing_flags_and_short_limits_are_named_for_the_purpose_that_needs_them() {
        let mut old = capable(Backend::Vulkan);
        old.flags.remove(DownlevelFlags::INDIRECT_EXECUTION);
        assert_eq!(old.lack(Purpose::Compute).as_deref(), Some("no indirect dispatch"));
        assert_eq!(old.lack(Purpose::Draw), None);
        // WebGL2 has neither compute shaders nor storage buffers.
        let small = Capability { limits: Limits::downlevel_webgl2_defaults(), ..capable(Backend::Vulkan) };
        let words = small.lack(Purpose::Compute).unwrap();
        assert_eq!(words, "0 storage buffers per shader of 8 that are needed");
    }
}
