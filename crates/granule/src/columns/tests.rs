//! The registry does to every column what its line says.

use proptest::prelude::*;

use super::*;

particle_columns! {
    /// One column of every kind and role.
    struct All {
        /// Motion.
        place: Vec<Vec4> => Motion,
        /// Motion that only some have.
        turn: Option<Vec<Quat>> => Motion,
        /// State.
        load: Vec<f32> = 2.0 => State,
        /// State.
        key: Vec<u32> => State,
        /// State that only some have.
        small: Option<Vec<u16>> = 7 => State,
        /// Output.
        seen: Vec<f32> => Output,
        /// Scratch.
        own: Vec<f32> = 5.0 => Scratch,
    }
    beside {
        /// Not a column.
        steps: u32,
    }
}

fn filled(count: usize, optional: bool) -> All {
    let mut all = All { turn: optional.then(Vec::new), small: optional.then(Vec::new), ..All::default() };
    all.resize(count);
    for i in 0..count {
        let x = i as f32;
        all.place[i] = Vec4::new(x, -x, 0.5, 1.0);
        all.load[i] = 0.1 * x;
        all.key[i] = 3 * i as u32;
        all.seen[i] = x + 0.25;
        if let (Some(turn), Some(small)) = (&mut all.turn, &mut all.small) {
            turn[i] = Quat::from_rotation_y(0.01 * x);
            small[i] = i as u16;
        }
    }
    all.steps = 9;
    all
}

fn hash(all: &All) -> u64 {
    let mut hash = Fnv::default();
    all.hash(&(0..all.key.len() as u32).collect::<Vec<_>>(), &mut hash);
    hash.finish()
}

proptest! {
    /// Sorting moves motion and state, and nothing else.
    #[test]
    fn sorting_takes_motion_and_state_along(keys in prop::collection::vec(0u64..50, 1..300), optional: bool) {
        let mut all = filled(keys.len(), optional);
        let before = all.clone();
        let mut order = Permutation::default();
        order.sort(&mut keys.clone(), 6);
        all.permute(&order, &mut Scratch::default());
        for (k, &source) in order.sources().iter().enumerate() {
            let source = source as usize;
            prop_assert_eq!(all.place[k], before.place[source]);
            prop_assert_eq!(all.load[k], before.load[source]);
            prop_assert_eq!(all.key[k], before.key[source]);
            prop_assert_eq!(all.seen[k], before.seen[k], "found anew before it is read");
            prop_assert_eq!(all.turn.as_ref().map(|c| c[k]), before.turn.as_ref().map(|c| c[source]));
            prop_assert_eq!(all.small.as_ref().map(|c| c[k]), before.small.as_ref().map(|c| c[source]));
        }
        prop_assert_eq!(all.steps, 9);
    }

    /// Removal keeps the values of those that stay; those that come have the initial values.
    #[test]
    fn particles_come_and_go(keep in prop::collection::vec(any::<bool>(), 1..300), more in 0usize..5, optional: bool) {
        let mut all = filled(keep.len(), optional);
        let before = all.clone();
        all.retain(&keep);
        let kept: Vec<usize> = (0..keep.len()).filter(|&i| keep[i]).collect();
        all.resize(kept.len() + more);
        for (k, &source) in kept.iter().enumerate() {
            prop_assert_eq!(all.place[k], before.place[source]);
            prop_assert_eq!(all.seen[k], before.seen[source]);
            prop_assert_eq!(all.small.as_ref().map(|c| c[k]), before.small.as_ref().map(|c| c[source]));
        }
        for k in kept.len()..kept.len() + more {
            prop_assert_eq!((all.load[k], all.key[k], all.own[k]), (2.0, 0, 5.0));
            prop_assert_eq!(all.small.as_ref().map(|c| c[k]), optional.then_some(7));
            prop_assert_eq!(all.turn.as_ref().map(|c| c[k]), optional.then_some(Quat::IDENTITY));
        }
        for (info, column) in all.columns().into_iter().filter(|(_, column)| column.exists()) {
            prop_assert_eq!(column.save().len(), kept.len() + more, "{}", info.name);
        }
    }
}

#[test]
fn the_hash_covers_motion_and_optional_columns_only_where_they_are() {
    let (plain, turned) = (filled(5, false), filled(5, true));
    assert_ne!(hash(&plain), hash(&turned));
    let mut other = plain.clone();
    other.load[2] = 8.0;
    other.seen[2] = 8.0;
    assert_eq!(hash(&plain), hash(&other));
    other.place[2].w = 8.0;
    assert_ne!(hash(&plain), hash(&other));
    let mut other = turned.clone();
    other.turn.as_mut().unwrap()[4] = Quat::from_rotation_x(1.0);
    assert_ne!(hash(&turned), hash(&other));
}

#[test]
fn columns_are_saved_by_name_and_checked() {
    let all = filled(4, true);
    let saved = all.save();
    let names: Vec<&str> = saved.iter().map(|(name, _)| name).collect();
    assert_eq!(names, ["place", "turn", "load", "key", "small", "seen"]);
    let mut restored = filled(0, true);
    restored.restore(&mut saved.clone(), 4).unwrap();
    assert_eq!((restored.save(), &restored.own), (saved.clone(), &vec![5.0; 4]));

    let refusal = |change: &dyn Fn(&mut SavedColumns), count: usize| {
        let mut saved = saved.clone();
        change(&mut saved);
        filled(0, true).restore(&mut saved, count).and_then(|()| saved.check_all_taken()).unwrap_err()
    };
    let load = || "load".to_string();
    assert_eq!(refusal(&|s| drop(s.take("load", 4)), 4), ColumnError::Missing(load()));
    assert_eq!(refusal(&|_| (), 5), ColumnError::Length("place".into()));
    assert_eq!(refusal(&|s| s.set("load", ColumnData::U32(vec![0; 4])), 4), ColumnError::Type(load()));
    let not_finite = |s: &mut SavedColumns| s.set("load", ColumnData::F32(vec![f32::NAN; 4]));
    assert_eq!(refusal(&not_finite, 4), ColumnError::NotFinite(load()));
    let unknown = |s: &mut SavedColumns| s.set("spin", ColumnData::F32(vec![0.0; 4]));
    assert_eq!(refusal(&unknown, 4), ColumnError::Unknown("spin".into()));
    // A solver without the optional columns refuses them rather than losing them.
    let mut saved = all.save();
    filled(0, false).restore(&mut saved, 4).unwrap();
    assert!(saved.check_all_taken().is_err());
}
