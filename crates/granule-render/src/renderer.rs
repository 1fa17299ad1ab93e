//! One door to both ways of drawing.

use granule_device::{AdapterChoice, DeviceError, GpuDevice, Purpose};

use crate::RenderError;
use crate::gpu::GpuRenderer;
use crate::image::Image;
use crate::legend::Legend;
use crate::render_scene::RenderScene;
use crate::render_settings::RenderSettings;
use crate::software::draw_in_software;

/// What draws.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum RendererChoice {
    /// The best adapter that can draw; software where there is none.
    #[default]
    Auto,
    /// CPU cores, without any driver.
    Software,
    /// A certain adapter.
    Adapter(AdapterChoice),
}

impl std::str::FromStr for RendererChoice {
    type Err = std::convert::Infallible;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        match text {
            "auto" => Ok(Self::Auto),
            "cpu" => Ok(Self::Software),
            other => other.parse().map(Self::Adapter),
        }
    }
}

/// Draws pictures by a graphics device or on CPU cores.
pub enum Renderer {
    /// By a graphics device.
    Gpu(Box<GpuRenderer>),
    /// On CPU cores; with the reason where a device was wanted.
    Software(Option<DeviceError>),
}

impl Renderer {
    /// Opens what was chosen.
    ///
    /// # Errors
    /// Says why the chosen adapter does not work; with [`RendererChoice::Auto`] there always is a renderer.
    pub fn open(choice: &RendererChoice) -> Result<Self, RenderError> {
        let opened = match choice {
            RendererChoice::Software => return Ok(Self::Software(None)),
            RendererChoice::Auto => GpuDevice::open_for(&[Purpose::Draw], &AdapterChoice::Auto),
            RendererChoice::Adapter(adapter) => GpuDevice::open_for(&[Purpose::Draw], adapter),
        };
        let made = opened.map_err(RenderError::from).and_then(GpuRenderer::new);
        match (made, choice) {
            (Ok(gpu), _) => Ok(Self::Gpu(Box::new(gpu))),
            (Err(RenderError::Device(reason)), RendererChoice::Auto) => Ok(Self::Software(Some(reason))),
            (Err(error), _) => Err(error),
        }
    }

    /// What draws, in words.
    pub fn name(&self) -> String {
        match self {
            Self::Gpu(gpu) => gpu.adapter().name.clone(),
            Self::Software(_) => "software".into(),
        }
    }

    /// Draws a picture and its legends.
    ///
    /// # Errors
    /// Says what is wrong with the scene or the settings, or how the device failed.
    pub fn draw(
        &mut self,
        scene: &RenderScene,
        settings: &RenderSettings,
        legends: &[Legend],
    ) -> Result<Image, RenderError> {
        let mut image = match self {
            Self::Gpu(gpu) => gpu.draw(scene, settings)?,
            Self::Software(_) => draw_in_software(scene, settings)?,
        };
        for legend in legends {
            legend.draw(&mut image);
        }
        Ok(image)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn renderers_are_chosen_by_words() {
        let choice = |text: &str| text.parse::<RendererChoice>().unwrap();
        assert_eq!([choice("auto"), choice("cpu")], [RendererChoice::Auto, RendererChoice::Software]);
        assert_eq!(choice("1"), RendererChoice::Adapter(AdapterChoice::Index(1)));
        assert_eq!(choice("llvmpipe"), RendererChoice::Adapter(AdapterChoice::Name("llvmpipe".into())));
    }

    #[test]
    fn an_adapter_that_does_not_exist_is_an_error_and_not_software() {
        let choice = RendererChoice::Adapter(AdapterChoice::Name("no such card".into()));
        assert!(matches!(Renderer::open(&choice), Err(RenderError::Device(_))));
    }
}
