//! Structs of fine grains have the same layout on both sides.

use std::mem::size_of;

use super::layout::{FrameRecord, WallRecord};
use crate::shaders::FINE_MOVE;

fn span(name: &str) -> usize {
    let source = FINE_MOVE.source();
    let module = naga::front::wgsl::parse_str(&source).unwrap();
    let (_, kind) = module.types.iter().find(|(_, kind)| kind.name.as_deref() == Some(name)).unwrap();
    let naga::TypeInner::Struct { span, .. } = &kind.inner else { panic!("{kind:?}") };
    *span as usize
}

#[test]
fn records_are_as_long_as_their_twins() {
    assert_eq!(span("FineFrame"), size_of::<FrameRecord>());
    assert_eq!(span("FineWall"), size_of::<WallRecord>());
}
