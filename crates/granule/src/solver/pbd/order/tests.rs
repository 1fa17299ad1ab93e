use super::super::colour::key;
use super::*;
use crate::random::Random;
use crate::team::Team;

/// Neighbours of each grain on a line with random jumps.
fn graph(count: usize) -> Vec<Vec<u32>> {
    let mut random = Random::new(5);
    let mut near = vec![Vec::new(); count];
    for i in 0..count {
        for _ in 0..4 {
            let j = (i + 1 + (random.unit() * 300.0) as usize) % count;
            if j != i && !near[i].contains(&(j as u32)) {
                near[i].push(j as u32);
                near[j].push(i as u32);
            }
        }
    }
    near
}

/// No two grains in one brick.
fn scattered(count: usize) -> Vec<[u32; PARTITIONS]> {
    (0..count as u32).map(|i| [i; PARTITIONS]).collect()
}

/// Neighbours on a line in bricks of 200, shifted by a quarter in every partition.
fn bricked(count: usize) -> Vec<[u32; PARTITIONS]> {
    (0..count as u32).map(|i| std::array::from_fn(|p| (i + 50 * p as u32) / 200)).collect()
}

/// Whether a pair is near, in these tests.
fn is_near(i: u32, j: u32) -> bool {
    i.abs_diff(j) < 120
}

/// Pairs (i, j) with i < j, one of which moves.
fn pairs_of(near: &[Vec<u32>], held: &[bool]) -> Vec<(u32, u32)> {
    let of = |i: usize| near[i].iter().filter(move |j| **j > i as u32 && !(held[i] && held[**j as usize]));
    (0..near.len()).flat_map(|i| of(i).map(move |j| (i as u32, *j))).collect()
}

/// What a team of so many threads finds.
fn ordered(
    pairs: &[(u32, u32)],
    id: &[u32],
    held: &[bool],
    brick: &[[u32; PARTITIONS]],
    threads: usize,
) -> PairOrder {
    let [keeper, other] = [0, 1].map(|k| pairs.iter().map(|(i, j)| [*i, *j][k]).collect::<Vec<u32>>());
    let (keeper, other, material) = (&keeper[..], &other[..], &vec![0; id.len()][..]);
    let (first_of_bodies, instructions) = (1, Instructions::best());
    let input = OrderInput { keeper, other, id, brick, material, first_of_bodies, instructions };
    let mut order = PairOrder::default();
    let team = Team::new(threads).unwrap();
    team.install(|| order.find(&input, |i| held[i], |p| is_near(keeper[p], other[p])));
    order
}

/// The colour of every pair with its partition, [`PARTITIONS`] where it is loose.
fn colours(order: &PairOrder) -> Vec<(usize, u8)> {
    let mut colours = vec![(usize::MAX, 0); order.at.len()];
    let packs = order.packs.len() / PARTITIONS;
    for k in 0..order.packs.len() {
        for pair in &order.keyed[order.first[k] as usize..order.first[k + 1] as usize] {
            if pair.colour < BRICK_COLOURS {
                colours[pair.pair as usize] = (k / packs, pair.colour);
            }
        }
    }
    order.loose.iter().for_each(|pair| colours[pair.pair as usize] = (PARTITIONS, pair.colour));
    colours
}

struct Case {
    pairs: Vec<(u32, u32)>,
    id: Vec<u32>,
    held: Vec<bool>,
    bricks: Vec<[u32; PARTITIONS]>,
}

impl Case {
    fn new(bricks: Vec<[u32; PARTITIONS]>) -> Self {
        let count = bricks.len();
        let id = (0..count as u32).map(|i| (i * 7919) % 100_003).collect();
        let held: Vec<bool> = (0..count).map(|i| i % 11 == 0).collect();
        Self { pairs: pairs_of(&graph(count), &held), id, held, bricks }
    }

    fn order(&self, threads: usize) -> PairOrder {
        ordered(&self.pairs, &self.id, &self.held, &self.bricks, threads)
    }

    /// The grains of a pair that move.
    fn moving(&self, p: usize) -> impl Iterator<Item = usize> + '_ {
        let (i, j) = self.pairs[p];
        [i, j].map(|grain| grain as usize).into_iter().filter(|grain| !self.held[*grain])
    }
}

#[test]
fn pairs_of_one_colour_share_no_grain_that_moves_for_any_number_of_threads() {
    let case = Case::new(bricked(1500));
    let order = case.order(1);
    let colours = colours(&order);
    assert_eq!((order.at.clone(), order.pair_at.clone()), {
        let order = case.order(3);
        (order.at, order.pair_at)
    });
    let mut used = vec![[0u64; PARTITIONS + 1]; case.id.len()];
    let mut of_partition = [0; PARTITIONS + 1];
    for (p, (partition, colour)) in colours.iter().enumerate() {
        let [i, j] = [case.pairs[p].0 as usize, case.pairs[p].1 as usize];
        assert_eq!(*partition, partition_of(&case.bricks[i], &case.bricks[j]), "pair {i}, {j}");
        assert!(*colour < if *partition < PARTITIONS { BRICK_COLOURS } else { REST }, "pair {i}, {j}");
        of_partition[*partition] += 1;
        for grain in case.moving(p) {
            assert_eq!(used[grain][*partition] >> colour & 1, 0, "{grain} has two pairs of colour {colour}");
            used[grain][*partition] |= 1 << colour;
        }
    }
    let most = colours.iter().filter(|(partition, _)| *partition == PARTITIONS).map(|(_, colour)| *colour);
    let degree = (0..1500).map(|i| case.pairs.iter().filter(|(a, b)| *a == i || *b == i).count()).max();
    assert!(usize::from(most.max().unwrap()) < degree.unwrap() + 6);
    assert!(colours.len() > 4000 && of_partition.iter().all(|count| *count > 100), "{of_partition:?}");
}

/// Every pair has one place; groups of a pack share no grain with another pack of the partition; lanes of a group share none.
#[test]
fn packs_and_groups_share_no_grain_that_moves() {
    let case = Case::new(bricked(6000));
    let order = case.order(2);
    for (p, at) in order.at.iter().enumerate() {
        assert_eq!(order.pair_at[*at as usize], p as u32);
    }
    let named = order.pair_at.iter().filter(|pair| **pair != NOBODY).count();
    assert_eq!(named, case.pairs.len());
    let pairs_in = |range: Range<usize>| {
        order.pair_at[LANES * range.start..LANES * range.end].iter().filter(|pair| **pair != NOBODY)
    };
    let mut several = 0;
    for partition in 0..PARTITIONS {
        let mut owner = vec![usize::MAX; case.id.len()];
        for (k, range) in order.packs(partition).enumerate() {
            several += usize::from(!range.is_empty());
            for grain in pairs_in(range).flat_map(|pair| case.moving(*pair as usize)) {
                assert!([k, usize::MAX].contains(&owner[grain]), "grain {grain} of partition {partition}");
                owner[grain] = k;
            }
        }
    }
    assert!(several > 2 * PARTITIONS, "{several} packs");
    for group in 0..order.rest().start {
        let mut grains: Vec<usize> =
            pairs_in(group..group + 1).flat_map(|pair| case.moving(*pair as usize)).collect();
        let count = grains.len();
        grains.sort_unstable();
        grains.dedup();
        assert_eq!(grains.len(), count, "group {group}");
    }
}

/// It is what a greedy pass in the order of keys gives, near pairs of bricks first, which is how a device may check itself.
#[test]
fn colours_are_those_of_a_greedy_pass_by_keys() {
    for bricks in [scattered(600), bricked(600)] {
        let mut case = Case::new(bricks);
        case.held.fill(false);
        case.pairs = pairs_of(&graph(600), &case.held);
        let found = colours(&case.order(2));
        let partition = |p: usize| {
            let (i, j) = case.pairs[p];
            partition_of(&case.bricks[i as usize], &case.bricks[j as usize])
        };
        let of = |p: usize| {
            let (i, j) = case.pairs[p];
            let [a, b] = [i, j].map(|grain| case.id[grain as usize]);
            (partition(p) < PARTITIONS && is_near(i, j), key(a.min(b), a.max(b)))
        };
        let mut sorted: Vec<usize> = (0..case.pairs.len()).collect();
        sorted.sort_unstable_by_key(|p| std::cmp::Reverse(of(*p)));
        let mut used = vec![[0u64; PARTITIONS + 1]; 600];
        for p in sorted {
            let (i, j) = (case.pairs[p].0 as usize, case.pairs[p].1 as usize);
            let own = partition(p);
            let free = (used[i][own] | used[j][own]).trailing_ones() as u8;
            assert_eq!((own, free), found[p]);
            used[i][own] |= 1 << free;
            used[j][own] |= 1 << free;
        }
    }
}

/// A grain with so many neighbours, which have none but it, and the colours of these pairs.
fn star(rays: u32, bricks: &[[u32; PARTITIONS]]) -> (PairOrder, Vec<(usize, u8)>) {
    let pairs: Vec<(u32, u32)> = (1..=rays).map(|j| (0, j)).collect();
    let id: Vec<u32> = (0..=rays).collect();
    let order = ordered(&pairs, &id, &vec![false; id.len()], bricks, 1);
    let colours = colours(&order);
    (order, colours)
}

/// More pairs at one grain than there are colours: the others are alone in their groups, in the order of their keys.
#[test]
fn what_finds_no_colour_is_the_rest() {
    let (order, colours) = star(100, &scattered(101));
    let rest = colours.iter().filter(|colour| **colour == (PARTITIONS, REST)).count();
    assert_eq!((colours.len(), rest, order.rest().len()), (100, 36, 36));
    let keys: Vec<u64> = order.rest().map(|group| key(0, order.pair_at[LANES * group] + 1)).collect();
    assert!(keys.windows(2).all(|two| two[0] > two[1]));
}

#[test]
fn what_finds_no_colour_in_its_brick_is_loose() {
    let (_, colours) = star(100, &vec![[7; PARTITIONS]; 101]);
    let in_brick = colours.iter().filter(|(partition, _)| *partition == 0).count();
    let rest = colours.iter().filter(|colour| **colour == (PARTITIONS, REST)).count();
    assert_eq!((in_brick, colours.len() - in_brick - rest, rest), (32, 64, 4));
}
