// The step's numbers, for stages.

@group(2) @binding(0) var<uniform> step: Step;
