//! Checks of high-resolution grains.

use super::super::error::{Problem, ProblemKind};
use super::super::schema::{FRACTION_LIMITS, Scene, UPSAMPLE_RATIO};
use super::grains::{MOST_SIZE_RATIO, check_radius};
use super::{Check, ensure, range};

impl Scene {
    pub(super) fn check_upsample(&self) -> Check {
        let Some(settings) = &self.upsample else { return Ok(()) };
        let path = "upsample.radius";
        check_radius(path, &settings.radius)?;
        let particle = self.reference_radius();
        let [least, most] = UPSAMPLE_RATIO.map(|ratio| ratio * particle);
        // The ends belong to it, however they are rounded.
        let allowed = 0.9999 * least..=1.0001 * most;
        let (smallest, largest) = settings.radius.limits();
        let outside = [smallest, largest].into_iter().find(|radius| !allowed.contains(radius));
        range(outside.is_none(), path, outside.unwrap_or(smallest), || {
            format!(
                "from {least} to {most} m: {} to {} of material.0.radius = {particle} m",
                UPSAMPLE_RATIO[0], UPSAMPLE_RATIO[1]
            )
        })?;
        range(largest <= 1.0001 * MOST_SIZE_RATIO * smallest, path, largest, || {
            format!("at most {MOST_SIZE_RATIO} times the smallest, {smallest} m")
        })?;
        let [least, most] = FRACTION_LIMITS;
        range((least..=most).contains(&settings.fraction), "upsample.fraction", settings.fraction, || {
            format!("from {least} to {most}, the densest packing of equal spheres; 0.6 is that of sand")
        })?;
        ensure(!self.grains.is_empty() || !self.emitter.is_empty(), || {
            let allowed = "add [[grains]] or an [[emitter]], or leave [upsample] out";
            Problem::new(ProblemKind::Address, "upsample", "the scene has no grains to refine", allowed)
        })
    }
}
