//! Charts as SVG: curves and points with error bars over two axes. Colours are classes, so that a page may change them.

mod axis;

use std::fmt::Write;

use crate::markup::escape;
use crate::output::number;

use axis::Axis;

/// Size of a chart [pixels].
const SIZE: [f64; 2] = [640.0, 420.0];
/// Room to the left of the axes and to their right [pixels].
const SIDES: [f64; 2] = [66.0, 16.0];
/// Room below the axes [pixels].
const BELOW: f64 = 52.0;
/// Height of the title and of a line of the legend [pixels].
const LINE: f64 = 20.0;
/// Number of colours.
const COLORS: usize = 6;

/// The classes of a chart in light colours, for files that stand alone.
pub const STYLE: &str = "\
.chart{background:#fff;font-family:sans-serif}.chart text{fill:#333;font-size:13px}.chart .title{font-size:15px;fill:#111}\
.chart .frame{fill:none;stroke:#888}.chart .grid{stroke:#0001}.chart .curve{fill:none;stroke-width:2}\
.chart .k0{--c:#1f77b4}.chart .k1{--c:#d66014}.chart .k2{--c:#2c8c3c}.chart .k3{--c:#be2832}.chart .k4{--c:#7850aa}\
.chart .k5{--c:#6e5a46}.chart .curve,.chart .bar{stroke:var(--c)}.chart .dot{fill:var(--c)}";

/// A curve, or a cloud of points.
#[derive(Clone, Debug, Default)]
pub struct Curve {
    /// Name in the legend; without one it is not in it.
    pub name: String,
    /// Points (x, y).
    pub points: Vec<[f64; 2]>,
    /// Half of the error bars of the points; none where it is shorter.
    pub spread: Vec<f64>,
    /// Whether to connect them; markers otherwise.
    pub line: bool,
    /// Which of the colours.
    pub color: usize,
}

/// Curves over two axes.
#[derive(Clone, Debug, Default)]
pub struct Chart {
    /// Title.
    pub title: String,
    /// Label of x with its unit.
    pub x_label: String,
    /// Label of y with its unit.
    pub y_label: String,
    /// Whether both axes are logarithmic.
    pub logarithmic: bool,
    /// Curves and points.
    pub curves: Vec<Curve>,
}

impl Chart {
    /// The chart as an `svg` element; with `style` it carries its colours.
    pub fn svg(&self, style: Option<&str>) -> String {
        let legend = self.legend_lines();
        let top = LINE * (1 + legend.len()) as f64 + 14.0;
        let frame = Frame {
            x: self.axis(0),
            y: self.axis(1),
            corner: [SIDES[0], top],
            size: [SIZE[0] - SIDES[0] - SIDES[1], SIZE[1] - top - BELOW],
        };
        let [width, height] = SIZE;
        let title = escape(&self.title);
        let mut svg = format!(
            "<svg xmlns=\"http://www.w3.org/2000/svg\" class=\"chart\" viewBox=\"0 0 {width} {height}\" role=\"img\" \
             aria-label=\"{}\">\n<title>{title}</title>\n",
            escape(&self.in_words())
        );
        if let Some(style) = style {
            let _ = writeln!(svg, "<style>{style}</style>");
        }
        let _ = writeln!(svg, "<text class=\"title\" x=\"{}\" y=\"20\">{title}</text>", SIDES[0]);
        self.draw_legend(&mut svg, &legend);
        self.draw_axes(&mut svg, &frame);
        for curve in &self.curves {
            self.draw_curve(&mut svg, &frame, curve);
        }
        svg.push_str("</svg>\n");
        svg
    }

    /// What the chart shows, for those who do not see it.
    fn in_words(&self) -> String {
        let names: Vec<&str> =
            self.curves.iter().map(|curve| curve.name.as_str()).filter(|name| !name.is_empty()).collect();
        let scale = if self.logarithmic { " on logarithmic axes" } else { "" };
        format!("{}: {} over {}{scale}; {}", self.title, self.y_label, self.x_label, names.join(", "))
    }

    /// An axis around all points with their error bars.
    fn axis(&self, k: usize) -> Axis {
        let points = self.curves.iter().flat_map(|curve| {
            self.visible(curve).flat_map(move |(point, spread)| {
                let spread = if k == 1 { spread } else { 0.0 };
                [point[k] - spread, point[k] + spread]
            })
        });
        Axis::around(points.filter(|value| *value > 0.0 || !self.logarithmic), self.logarithmic)
    }

    /// The points that can be drawn, with their error bars: finite, and above zero on logarithmic axes.
    fn visible<'a>(&'a self, curve: &'a Curve) -> impl Iterator<Item = ([f64; 2], f64)> + 'a {
        let drawable = move |value: f64| value.is_finite() && (value > 0.0 || !self.logarithmic);
        let spread = |k: usize| curve.spread.get(k).copied().filter(|spread| spread.is_finite());
        let points =
            curve.points.iter().enumerate().map(move |(k, point)| (*point, spread(k).unwrap_or(0.0)));
        points.filter(move |(point, _)| point.iter().all(|value| drawable(*value)))
    }

    /// Curves by the line of the legend that has them, with their places in it.
    fn legend_lines(&self) -> Vec<Vec<(&Curve, f64)>> {
        let mut lines: Vec<Vec<(&Curve, f64)>> = Vec::new();
        let mut x = f64::INFINITY;
        for curve in self.curves.iter().filter(|curve| !curve.name.is_empty()) {
            let width = 40.0 + 6.8 * curve.name.chars().count() as f64;
            if x + width > SIZE[0] - SIDES[1] {
                lines.push(Vec::new());
                x = SIDES[0];
            }
            if let Some(line) = lines.last_mut() {
                line.push((curve, x));
            }
            x += width;
        }
        lines
    }

    fn draw_legend(&self, svg: &mut String, lines: &[Vec<(&Curve, f64)>]) {
        for (k, line) in lines.iter().enumerate() {
            let y = LINE * (k + 2) as f64;
            for (curve, x) in line {
                let color = curve.color % COLORS;
                let _ = match curve.line {
                    true => write!(svg, "<path class=\"curve k{color}\" d=\"M{x:.1} {:.1}h20\"/>", y - 4.0),
                    false => write!(
                        svg,
                        "<circle class=\"dot k{color}\" cx=\"{:.1}\" cy=\"{:.1}\" r=\"4\"/>",
                        x + 10.0,
                        y - 4.0
                    ),
                };
                let _ =
                    writeln!(svg, "<text x=\"{:.1}\" y=\"{y:.1}\">{}</text>", x + 26.0, escape(&curve.name));
            }
        }
    }

    fn draw_axes(&self, svg: &mut String, frame: &Frame) {
        let ([left, top], [width, height]) = (frame.corner, frame.size);
        let bottom = top + height;
        for value in frame.x.ticks(7) {
            let x = frame.place_x(value);
            let _ = writeln!(
                svg,
                "<path class=\"grid\" d=\"M{x:.1} {top:.1}V{bottom:.1}\"/><text text-anchor=\"middle\" x=\"{x:.1}\" \
                 y=\"{:.1}\">{}</text>",
                bottom + 18.0,
                label(value)
            );
        }
        for value in frame.y.ticks(6) {
            let y = frame.place_y(value);
            let _ = writeln!(
                svg,
                "<path class=\"grid\" d=\"M{left:.1} {y:.1}h{width:.1}\"/><text text-anchor=\"end\" x=\"{:.1}\" \
                 y=\"{:.1}\">{}</text>",
                left - 6.0,
                y + 4.5,
                label(value)
            );
        }
        let _ = writeln!(
            svg,
            "<rect class=\"frame\" x=\"{left:.1}\" y=\"{top:.1}\" width=\"{width:.1}\" height=\"{height:.1}\"/>"
        );
        let (middle, y) = (left + 0.5 * width, SIZE[1] - 10.0);
        let _ = writeln!(
            svg,
            "<text text-anchor=\"middle\" x=\"{middle:.1}\" y=\"{y:.1}\">{}</text>",
            escape(&self.x_label)
        );
        let middle = top + 0.5 * height;
        let _ = writeln!(
            svg,
            "<text text-anchor=\"middle\" transform=\"translate(16 {middle:.1}) rotate(-90)\">{}</text>",
            escape(&self.y_label)
        );
    }

    fn draw_curve(&self, svg: &mut String, frame: &Frame, curve: &Curve) {
        let color = curve.color % COLORS;
        let places: Vec<([f64; 2], f64, f64)> = self
            .visible(curve)
            .map(|(point, spread)| {
                let ends = [point[1] - spread, point[1] + spread].map(|y| frame.place_y(y));
                ([frame.place_x(point[0]), frame.place_y(point[1])], ends[0], ends[1])
            })
            .collect();
        for ([x, y], low, high) in places.iter().filter(|(_, low, high)| (low - high).abs() > 1.0) {
            let low = if low.is_finite() { *low } else { *y };
            let _ = writeln!(
                svg,
                "<path class=\"bar k{color}\" d=\"M{x:.1} {low:.1}V{high:.1}M{:.1} {low:.1}h8M{:.1} {high:.1}h8\"/>",
                x - 4.0,
                x - 4.0
            );
        }
        if curve.line {
            let mut path = String::new();
            for (k, ([x, y], ..)) in places.iter().enumerate() {
                let _ = write!(path, "{}{x:.1} {y:.1}", if k == 0 { 'M' } else { 'L' });
            }
            let _ = writeln!(svg, "<path class=\"curve k{color}\" d=\"{path}\"/>");
        } else {
            for ([x, y], ..) in places {
                let _ = writeln!(svg, "<circle class=\"dot k{color}\" cx=\"{x:.1}\" cy=\"{y:.1}\" r=\"4\"/>");
            }
        }
    }
}

/// The axes with their place in the picture.
struct Frame {
    x: Axis,
    y: Axis,
    corner: [f64; 2],
    size: [f64; 2],
}

impl Frame {
    fn place_x(&self, value: f64) -> f64 {
        self.corner[0] + self.size[0] * self.x.share(value)
    }

    fn place_y(&self, value: f64) -> f64 {
        self.corner[1] + self.size[1] * (1.0 - self.y.share(value))
    }
}

/// A number beside an axis.
fn label(value: f64) -> String {
    match value.abs() {
        // Four digits are too many for round numbers; powers are shorter.
        magnitude if magnitude >= 1e5 || (magnitude > 0.0 && magnitude < 1e-3) => format!("{value:e}"),
        _ => number(value),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn chart(logarithmic: bool, points: Vec<[f64; 2]>) -> Chart {
        let curve = |name: &str, line, color| Curve {
            name: name.into(),
            points: points.clone(),
            spread: vec![0.3; points.len()],
            line,
            color,
        };
        Chart {
            title: "Runout of <columns>".into(),
            x_label: "aspect ratio [1]".into(),
            y_label: "runout [m]".into(),
            logarithmic,
            curves: vec![curve("measured", false, 0), curve("fit", true, 1)],
        }
    }

    #[test]
    fn charts_carry_labels_legend_error_bars_and_a_name() {
        for logarithmic in [false, true] {
            let svg = chart(logarithmic, vec![[0.5, 0.6], [2.0, 2.5], [8.0, 6.0]]).svg(Some(STYLE));
            let parts = [
                "Runout of &lt;columns&gt;",
                "aspect ratio [1]",
                "runout [m]",
                ">measured<",
                ">fit<",
                "class=\"bar k0\"",
                "role=\"img\" aria-label=\"Runout",
            ];
            for part in parts {
                assert!(svg.contains(part), "{part} is missing");
            }
            assert!(svg.starts_with("<svg") && svg.trim_end().ends_with("</svg>"));
        }
    }

    #[test]
    fn values_that_cannot_be_drawn_are_left_out() {
        for logarithmic in [false, true] {
            let odd = vec![[f64::NAN, 1.0], [-1.0, 0.0], [1.0, f64::INFINITY], [1.0, 1.0]];
            let svg = chart(logarithmic, odd).svg(None);
            assert!(!svg.contains("NaN") && !svg.contains("inf"), "{svg}");
            chart(logarithmic, Vec::new()).svg(None);
        }
    }
}
