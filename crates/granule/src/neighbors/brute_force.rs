//! The oracle of the neighbourhood search: every pair is tried.

use glam::Vec4;

use super::domain::Domain;
use super::levels::listed_radius;

/// The neighbours of every particle nearer than `reach` \[m\], ascending.
pub fn brute_force_neighbors(position: &[Vec4], domain: &Domain, reach: f32) -> Vec<Vec<u32>> {
    try_all(position, domain, |_, _| reach)
}

/// The neighbours of every particle nearer than both radii (the fourth number of a position) and the skin \[m\], ascending.
pub fn brute_force_contacts(position: &[Vec4], domain: &Domain, skin: f32) -> Vec<Vec<u32>> {
    let radius = |i: usize| listed_radius(domain, position[i]);
    try_all(position, domain, |i, j| (radius(i) + radius(j)) + skin)
}

fn try_all(position: &[Vec4], domain: &Domain, reach: impl Fn(usize, usize) -> f32) -> Vec<Vec<u32>> {
    let near = |i: usize, j: usize| {
        let d = domain.displacement(position[i].truncate(), position[j].truncate());
        let reach = reach(i, j);
        i != j && d.x * d.x + d.y * d.y + d.z * d.z < reach * reach
    };
    (0..position.len())
        .map(|i| (0..position.len()).filter(|&j| near(i, j)).map(|j| j as u32).collect())
        .collect()
}
