//! Panels that are hidden, or torn off into windows of their own.

use egui_tiles::Tree;

use crate::app::Pane;
use crate::contents::Contents;
use crate::layout::PANES;

/// Panels in windows of their own.
#[derive(Default)]
pub struct TornOff(Vec<Pane>);

impl TornOff {
    /// Which ones.
    pub fn panes(&self) -> &[Pane] {
        &self.0
    }

    /// The menu that shows, hides and tears off panels.
    pub fn menu(&mut self, ui: &mut egui::Ui, tree: &mut Tree<Pane>) {
        ui.menu_button("Panels", |ui| {
            for pane in PANES.into_iter().filter(|pane| *pane != Pane::View) {
                let Some(tile) = tree.tiles.find_pane(&pane) else { continue };
                let torn = self.0.contains(&pane);
                let mut shown = torn || tree.is_visible(tile);
                if ui.checkbox(&mut shown, pane.title()).changed() {
                    self.0.retain(|other| *other != pane);
                    tree.set_visible(tile, shown);
                }
                let own = format!("{} in a window of its own", pane.title());
                if !torn && ui.button(own).clicked() {
                    self.0.push(pane);
                    tree.set_visible(tile, false);
                    ui.close();
                }
            }
        });
    }

    /// Shows the windows; one that is closed goes back among the panels.
    pub fn show(&mut self, ctx: &egui::Context, tree: &mut Tree<Pane>, contents: &mut Contents) {
        let mut back = Vec::new();
        for pane in self.0.iter().copied() {
            let builder =
                egui::ViewportBuilder::default().with_title(pane.title()).with_inner_size([360.0, 480.0]);
            let id = egui::ViewportId::from_hash_of(pane.title());
            let closed = ctx.show_viewport_immediate(id, builder, |ui, _| {
                egui::CentralPanel::default().show(ui, |ui| contents.panel(ui, pane));
                ui.ctx().input(|input| input.viewport().close_requested())
            });
            if closed {
                back.push(pane);
            }
        }
        for pane in back {
            self.0.retain(|other| *other != pane);
            if let Some(tile) = tree.tiles.find_pane(&pane) {
                tree.set_visible(tile, true);
            }
        }
    }
}
