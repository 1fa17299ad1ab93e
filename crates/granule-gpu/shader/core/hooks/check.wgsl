// Hook of check.wgsl: nothing iterates, so that the step can end once its stages have run.

fn after_search() {
}
