// The words of a pair, and its law. The kernel has `metadata`.

fn law_of_pair(i: u32, j: u32) -> u32 {
    if SEVERAL_MATERIALS || SHAPED {
        return material_of(metadata[i]) * pbd.material_count + material_of(metadata[j]);
    }
    return 0u;
}

fn words_of_pair(pair: vec2<u32>, keeps: bool, law: u32) -> vec2<u32> {
    let pulls = select(0u, PULLS, laws[law].tension > 0.0);
    return select(pair.yx, pair, keeps) | vec2(0u, pulls);
}
