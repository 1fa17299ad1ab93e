//! The oracle of the neighbourhood search: every pair is tried.

use glam::Vec4;

use super::domain::Domain;

/// The neighbours of every particle nearer than `reach` [m], ascending.
pub fn brute_force_neighbors(position: &[Vec4], domain: &Domain, reach: f32) -> Vec<Vec<u32>> {
    let near = |i: usize, j: usize| {
        let d = domain.displacement(position[i].truncate(), position[j].truncate());
        i != j && d.length_squared() < reach * reach
    };
    (0..position.len())
        .map(|i| (0..position.len()).filter(|&j| near(i, j)).map(|j| j as u32).collect())
        .collect()
}
