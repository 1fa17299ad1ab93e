"""Statistics of forces, as crates/granule/src/measure/dem/distributions.rs has them."""

import math

import numpy as np

MARGIN, SURFACE, LAYER = 3.0, 0.03, 2.5  # distance from walls, share of grains above the surface, depth of a layer


def layers_of(heights, radius):
    """A function that gives the layer of each place, or -1 outside of all: near walls, base or surface."""
    heights = np.sort(heights)
    low, high = MARGIN, heights[int((1 - SURFACE) * (len(heights) - 1))] - MARGIN
    count = max(1, math.floor((high - low) / LAYER))
    reach = radius - MARGIN if radius else math.inf

    def layer(places):
        inside = (np.hypot(places[:, 0], places[:, 2]) < reach) & (places[:, 1] > low) & (places[:, 1] < high)
        return np.where(inside, np.floor((places[:, 1] - low) / (high - low) * count), -1)

    return layer


def by_layer(values, places, layers):
    """Values over the mean of their layer, layer by layer."""
    layer = layers(places)
    parts = [values[layer == k] for k in range(int(layer.max()) + 1)]
    return np.concatenate([part / part.mean() for part in parts if len(part)])


def tail_rate(values, tail):
    """Likeliest rate of an exponential tail between two values."""
    start, end = tail
    length = end - start
    mean = (values[(values > start) & (values < end)] - start).mean()
    if not 0 < mean < 0.5 * length:
        return math.nan
    low, high = 1e-6, 1e2
    for _ in range(200):
        rate = 0.5 * (low + high)
        if 1 / rate - length / math.expm1(rate * length) > mean:
            low = rate
        else:
            high = rate
    return low


def tail_straightness(values, tail, width):
    """R2 of the line through the logarithm of a histogram."""
    edges = np.arange(0, tail[1] + 0.5 * width, width)
    density = np.histogram(values, edges)[0] / (len(values) * width)
    middle = 0.5 * (edges[1:] + edges[:-1])
    part = (middle > tail[0]) & (density > 0)
    return float(np.corrcoef(middle[part], np.log(density[part]))[0, 1] ** 2)


def digamma(x):
    """psi(x) for x > 0."""
    total = 0.0
    while x < 10:
        total -= 1 / x
        x += 1
    y = 1 / (x * x)
    return total + math.log(x) - 0.5 / x - y * (1 / 12 - y * (1 / 120 - y / 252))


def gamma_shape(values):
    """Likeliest shape of a gamma distribution of mean 1, and its gain over an exponential (Akaike)."""
    values = values[values > 0] / values.mean()
    mean_ln = np.log(values).mean()
    low, high = 1e-3, 1e4
    for _ in range(200):
        k = math.sqrt(low * high)
        if math.log(k) - digamma(k) > -mean_ln:
            low = k
        else:
            high = k
    likelihood = len(values) * (k * math.log(k) - math.lgamma(k) + (k - 1) * mean_ln - k)
    return k, 2 * (likelihood + len(values)) - 2


def peak(values):
    """Middle of the fullest window of a width of 0.5."""
    values = np.sort(values / values.mean())
    middles = 0.01 * np.arange(25, 301)
    counts = np.searchsorted(values, middles + 0.25) - np.searchsorted(values, middles - 0.25)
    return float(middles[counts.argmax()])


def distance(a, b):
    """Largest distance of two cumulative distributions."""
    a, b = np.sort(a), np.sort(b)
    every = np.concatenate([a, b])
    return float(np.abs(np.searchsorted(a, every, "right") / len(a) - np.searchsorted(b, every, "right") / len(b)).max())


def share_of_larger_half(values):
    """Share of the sum that the larger half of values has."""
    values = np.sort(values)
    half = len(values) // 2
    middle = 0.5 * values[half] if len(values) % 2 else 0
    return float((values[half:].sum() - middle) / values.sum())
