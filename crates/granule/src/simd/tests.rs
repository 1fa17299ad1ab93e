use super::*;
use crate::random::Random;

/// Every operation on random numbers, some of them not finite, as bits.
struct Everything<'a> {
    a: &'a [f32; LANES],
    b: &'a [f32; LANES],
    delta: &'a [u16; LANES],
    rows: &'a [f32],
    mask: u32,
}

impl Vectorised for Everything<'_> {
    type Output = Vec<u32>;

    #[inline(always)]
    fn run<L: Lanes>(self) -> Vec<u32> {
        let (a, b) = (L::from_array(self.a), L::from_array(self.b));
        let mut results = vec![a + b, a - b, a * b, a / b, -a, (a * a).root(), a.at_least(b), a.at_most(b)];
        results.extend([a.if_below(b, b, a), a.keep(self.mask), L::splat(3.5)]);
        let mut rows = [[0.0f32; 4]; LANES];
        // SAFETY: the table has 4 (7 + 900) numbers and rows are 16 x 4.
        unsafe {
            results.push(L::gather::<3>(self.rows.as_ptr(), 7, self.delta));
            results.extend(L::gather4::<4>(self.rows.as_ptr(), 7, self.delta));
            L::to_rows([a, b, a + b, a - b], rows.as_mut_ptr().cast(), 4);
        }
        results.extend(L::from_rows(&rows));
        let small = (a * L::splat(1000.0)).at_most(L::splat(40000.0)).at_least(L::splat(-40000.0));
        let integers = small.to_i16();
        results.push(L::from_i16(&integers));
        let mut bits: Vec<u32> = results.iter().flat_map(|r| r.to_array().map(plain_bits)).collect();
        bits.extend(rows.as_flattened().iter().map(|v| plain_bits(*v)));
        bits.push(a.below(b));
        bits.extend(a.to_u32().iter().chain(&(a * L::splat(1e9)).to_u32()));
        let lists: Vec<u32> = (0..20 * LANES as u32).map(|k| 70_000 + 3 * k).collect();
        let count = self.delta.map(|delta| u32::from(delta % 20));
        for k in [0, 5, 19] {
            // SAFETY: sixteen lists of twenty entries.
            let (row, mask) = unsafe { L::take_row(&lists, 20, k, &count, 69_000) };
            bits.push(mask);
            bits.extend(row.map(u32::from));
        }
        let mut indices = [0; LANES];
        // SAFETY: there is room for sixteen.
        let count = unsafe { L::push_indices(100, self.mask, indices.as_mut_ptr()) };
        bits.extend(&indices[..count]);
        bits
    }
}

/// Bits, with one NaN for all.
fn plain_bits(value: f32) -> u32 {
    if value.is_nan() { f32::NAN.to_bits() } else { value.to_bits() }
}

#[test]
fn all_instructions_give_the_same_bits() {
    let mut random = Random::new(3);
    let rows: Vec<f32> = (0..4 * 907).map(|_| random.signed()).collect();
    for round in 0..200 {
        let mut a = [0.0; LANES].map(|_: f32| 40.0 * random.signed());
        let mut b = [0.0; LANES].map(|_: f32| 40.0 * random.signed());
        if round % 4 == 0 {
            b = a;
            (a[3], a[4], a[5], b[6]) = (f32::NAN, f32::INFINITY, -0.0, f32::NAN);
            (a[7], b[7]) = (0.0025, 0.0035);
        }
        let delta = [0; LANES].map(|_: u16| (random.bits() % 900) as u16);
        let mask = (random.bits() & 0xffff) as u32;
        let work = || Everything { a: &a, b: &b, delta: &delta, rows: &rows, mask };
        let expected = Instructions::Portable.run(work());
        for set in Instructions::ALL.into_iter().filter(|set| set.available()) {
            assert_eq!(set.run(work()), expected, "{}", set.name());
        }
    }
}

#[test]
fn integers_are_rounded_to_even_and_saturated() {
    let mut values = [0.5, 1.5, -0.5, -1.5, 2.5, 1e9, -1e9, 32766.6, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0];
    let expected = [0, 2, 0, -2, 2, 32767, -32768, 32767, 0, 0, 0, 0, 0, 0, 0, 0];
    assert_eq!(Portable::from_array(&values).to_i16(), expected);
    values[0] = -32768.4;
    assert_eq!(Portable::from_array(&values).to_i16()[0], -32768);
}
