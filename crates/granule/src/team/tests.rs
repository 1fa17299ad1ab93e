use std::sync::atomic::{AtomicUsize, Ordering};

use super::*;

/// Teams of several sizes, and none.
fn with_teams(work: impl Fn(usize)) {
    work(1);
    for threads in [1, 2, 3, 8] {
        Team::new(threads).unwrap().install(|| work(threads));
    }
}

#[test]
fn every_item_is_done_once() {
    with_teams(|threads| {
        assert_eq!(thread_count(), threads);
        for count in [0, 1, 2, 7, 1000] {
            let done: Vec<AtomicUsize> = (0..count).map(|_| AtomicUsize::new(0)).collect();
            for_each(count, 3, |i| {
                done[i].fetch_add(1, Ordering::Relaxed);
            });
            assert!(done.iter().all(|done| done.load(Ordering::Relaxed) == 1));
            assert_eq!(map(count, 1, |i| i * i), (0..count).map(|i| i * i).collect::<Vec<_>>());
            let mut items: Vec<usize> = (0..count).collect();
            for_each_mut(&mut items, 1, |i, item| *item += i);
            assert!(items.iter().enumerate().all(|(i, item)| *item == 2 * i));
        }
    });
}

#[test]
fn blocks_of_columns_are_those_of_their_particles() {
    with_teams(|_| {
        for count in [0, 5, BLOCK, 3 * BLOCK + 1] {
            let (mut a, mut b) = (vec![0usize; count], [vec![0u8; count], vec![0u8; count]]);
            let [b0, b1] = &mut b;
            for_each_block(count, 1, (&mut a[..], [&mut b0[..], &mut b1[..]]), |block, (a, [b0, b1])| {
                assert_eq!(a.len(), block_range(block, count).len());
                a.iter_mut().enumerate().for_each(|(k, a)| *a = block * BLOCK + k);
                b0.fill(1);
                b1.fill(2);
            });
            assert!(a.iter().copied().eq(0..count));
            fill(&mut a, count / 2, |i| 3 * i);
            assert!(a.iter().copied().eq((0..count / 2).map(|i| 3 * i)));
            assert!(b[0].iter().all(|b| *b == 1) && b[1].iter().all(|b| *b == 2));
        }
    });
}

/// A million numbers of all sizes: in another order, their sum would be another.
#[test]
fn sums_have_the_same_bits_for_any_number_of_threads() {
    let number = |i: usize| (1.0 + i as f64).sqrt().sin() * 10f64.powi((i % 17) as i32 - 8);
    let sum = || sum_blocks(1_000_003, |range| range.map(number).sum()).to_bits();
    let alone = sum();
    with_teams(|_| assert_eq!(sum(), alone));
}

#[test]
fn who_works_already_works_alone() {
    Team::new(4).unwrap().install(|| {
        let inner = AtomicUsize::new(0);
        for_each(8, 1, |_| {
            let this = std::thread::current().id();
            for_each(10, 1, |_| {
                assert_eq!(std::thread::current().id(), this);
                inner.fetch_add(1, Ordering::Relaxed);
            });
        });
        assert_eq!(inner.into_inner(), 80);
    });
}

/// Two threads that share a team: one of them works alone when the other has it.
#[test]
fn a_team_serves_one_caller_at_a_time() {
    let team = Team::new(3).unwrap();
    std::thread::scope(|scope| {
        for _ in 0..4 {
            scope.spawn(|| {
                team.install(|| {
                    (0..200).for_each(|n| assert_eq!(map(n, 1, |i| i), (0..n).collect::<Vec<_>>()));
                });
            });
        }
    });
}

#[test]
fn a_panic_reaches_the_caller_and_the_team_goes_on() {
    let team = Team::new(3).unwrap();
    team.install(|| {
        for bad in [0, 50, 99] {
            let failed = std::panic::catch_unwind(|| for_each(100, 1, |i| assert_ne!(i, bad, "bad item")));
            let message = failed.unwrap_err();
            assert!(message.downcast_ref::<String>().is_some_and(|m| m.contains("bad item")));
            assert_eq!(map(10, 1, |i| i).len(), 10);
        }
    });
}

/// A panic in the midst of passes must not leave the others waiting.
#[test]
fn a_panic_during_passes_ends_them() {
    let team = Team::new(3).unwrap();
    team.install(|| {
        let failed = std::panic::catch_unwind(|| {
            let near = |b: usize| b.saturating_sub(2)..=(b + 2).min(39);
            PassPlan::default().run(40, 6, near, |pass, b| assert!((pass, b) != (2, 20), "bad pass"));
        });
        assert!(failed.is_err());
        assert_eq!(map(10, 1, |i| i).len(), 10);
    });
}

/// Sleeping members are woken; they sleep after less than a millisecond.
#[test]
fn members_that_sleep_come_when_called() {
    Team::new(4).unwrap().install(|| {
        for _ in 0..20 {
            std::thread::sleep(std::time::Duration::from_millis(3));
            let members: Vec<AtomicUsize> = (0..4).map(|_| AtomicUsize::new(0)).collect();
            // Each waits for the others, so all must take part.
            for_each(4, 1, |_| {
                members[member()].fetch_add(1, Ordering::SeqCst);
                while members.iter().any(|m| m.load(Ordering::SeqCst) == 0) {
                    std::thread::yield_now();
                }
            });
        }
    });
}

/// Who is through early may sleep before the caller is through.
#[test]
fn members_that_sleep_before_the_work_is_done_keep_nobody() {
    Team::new(2).unwrap().install(|| {
        for _ in 0..10 {
            for_each(2, 1, |_| {
                if member() == 0 {
                    std::thread::sleep(std::time::Duration::from_millis(3));
                }
            });
        }
    });
}

/// Every block takes every pass once, and never before its neighbours are through the one before; runs in waves and to and fro.
#[test]
fn passes_wait_for_the_neighbours() {
    with_teams(|_| {
        let mut plan = PassPlan::default();
        for (blocks, reach, passes) in
            [(0, 1, 2), (1, 1, 2), (5, 1, 4), (40, 5, 6), (700, 20, 6), (700, 20, 2)]
        {
            for periodic in [false, true] {
                let near = |b: usize| {
                    let at_an_end = periodic && (b < reach || b + reach >= blocks);
                    if at_an_end {
                        0..=blocks - 1
                    } else {
                        b.saturating_sub(reach)..=(b + reach).min(blocks - 1)
                    }
                };
                plan.forget();
                for _ in 0..3 {
                    let through: Vec<AtomicUsize> = (0..blocks).map(|_| AtomicUsize::new(0)).collect();
                    plan.run(blocks, passes, near, |pass, b| {
                        let least = near(b).map(|c| through[c].load(Ordering::SeqCst)).min();
                        assert!(least >= Some(pass), "pass {pass} of block {b} came too early");
                        assert_eq!(through[b].fetch_add(1, Ordering::SeqCst), pass);
                    });
                    assert!(through.iter().all(|through| through.load(Ordering::SeqCst) == passes));
                }
            }
        }
    });
}
