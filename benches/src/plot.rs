//! Plots of a run, as SVG.

use std::fmt::Display;

use plotters::coord::Shift;
use plotters::coord::ranged1d::{AsRangedCoord, ValueFormatter};
use plotters::prelude::*;

/// Size in pixels.
const SIZE: (u32, u32) = (900, 520);
const FONT: &str = "sans-serif";

/// Points of one name.
#[derive(Clone, Debug)]
pub struct Series {
    /// The name in the legend.
    pub name: String,
    /// The points.
    pub points: Vec<(f64, f64)>,
}

/// The style of points.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Marks {
    /// A line through the points, in order.
    Line,
    /// A dot for each point.
    Dots,
}

/// A plot, with a logarithmic axis of x.
#[derive(Clone, Debug)]
pub struct Plot {
    /// Name of its file, without the ending.
    pub name: &'static str,
    /// The title above the plot.
    pub title: String,
    /// Names of the axes.
    pub axes: [&'static str; 2],
    /// Whether the axis of y is logarithmic too; it goes from 0 to 1 if not.
    pub log_y: bool,
    /// The style of points.
    pub marks: Marks,
    /// The lines of the plot.
    pub series: Vec<Series>,
}

impl Series {
    /// The cumulative distribution of samples: for each value, the share of samples up to it.
    pub fn distribution(name: impl Into<String>, samples: impl IntoIterator<Item = f64>) -> Self {
        let mut sorted: Vec<f64> = samples.into_iter().filter(|&value| value > 0.0).collect();
        sorted.sort_unstable_by(f64::total_cmp);
        let count = sorted.len();
        // A few hundred steps are as smooth as the picture; the last thousandth is the tail, which is kept whole.
        let step = (count / 400).max(1);
        let shown = |at: &usize| at.is_multiple_of(step) || at + count / 1000 >= count;
        let points = (0..count).filter(shown);
        let points = points.map(|at| (sorted[at], (at + 1) as f64 / count as f64)).collect();
        Self { name: name.into(), points }
    }
}

impl Plot {
    /// Draws the plot. `None` if there is nothing to draw.
    pub fn svg(&self) -> Option<String> {
        let points = || self.series.iter().flat_map(|series| &series.points);
        let range = |of: fn(&(f64, f64)) -> f64| {
            let least = points().map(of).fold(f64::INFINITY, f64::min);
            let most = points().map(of).fold(0.0, f64::max);
            (least > 0.0 && least.is_finite()).then_some(least / 1.2..most * 1.2)
        };
        let (x, y) = (range(|point| point.0)?, range(|point| point.1)?);
        let mut svg = String::new();
        let root = SVGBackend::with_string(&mut svg, SIZE).into_drawing_area();
        // Writing to the string does not fail; an axis without extent does, and then there is no plot.
        let drawn = match self.log_y {
            true => self.draw(&root, x.log_scale(), y.log_scale()),
            false => self.draw(&root, x.log_scale(), 0.0..1.0),
        };
        drop(root);
        drawn.map(|()| svg)
    }

    fn draw<X, Y>(&self, root: &DrawingArea<SVGBackend<'_>, Shift>, x: X, y: Y) -> Option<()>
    where
        X: AsRangedCoord<Value = f64>,
        Y: AsRangedCoord<Value = f64>,
        X::CoordDescType: ValueFormatter<f64>,
        Y::CoordDescType: ValueFormatter<f64>,
    {
        root.fill(&WHITE).ok()?;
        let mut chart = ChartBuilder::on(root)
            .caption(&self.title, (FONT, 18))
            .margin(12)
            .x_label_area_size(42)
            .y_label_area_size(64)
            .build_cartesian_2d(x, y)
            .ok()?;
        let [x_name, y_name] = self.axes;
        let label = |value: &f64| format!("{}", Short(*value));
        chart
            .configure_mesh()
            .x_desc(x_name)
            .y_desc(y_name)
            .x_label_formatter(&label)
            .y_label_formatter(&label)
            .light_line_style(WHITE)
            .draw()
            .ok()?;
        for (index, series) in self.series.iter().enumerate() {
            let colour = Palette99::pick(index).to_rgba();
            let points = series.points.iter().copied();
            let drawn = match self.marks {
                Marks::Line => chart.draw_series(LineSeries::new(points, colour.stroke_width(2))),
                Marks::Dots => {
                    chart.draw_series(points.map(|at| Circle::new(at, 3, colour.filled())))
                }
            };
            let drawn = drawn.ok()?.label(&series.name);
            drawn.legend(move |(x, y)| {
                Rectangle::new([(x, y - 3), (x + 14, y + 3)], colour.filled())
            });
        }
        // Curves that grow leave the upper left free, distributions the lower right.
        let free = match self.log_y {
            true => SeriesLabelPosition::UpperLeft,
            false => SeriesLabelPosition::LowerRight,
        };
        chart
            .configure_series_labels()
            .position(free)
            .background_style(WHITE.mix(0.8))
            .border_style(BLACK.mix(0.3))
            .label_font((FONT, 13))
            .draw()
            .ok()?;
        root.present().ok()
    }
}

/// A number on an axis.
struct Short(f64);

impl Display for Short {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let Self(value) = *self;
        match value {
            1e6.. => write!(f, "{}M", value / 1e6),
            1e3.. => write!(f, "{}k", value / 1e3),
            _ => write!(f, "{}", (value * 1e4).round() / 1e4),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn plot(log_y: bool, marks: Marks, points: Vec<(f64, f64)>) -> Option<String> {
        let series = vec![Series { name: "some & others".to_owned(), points }];
        let axes = ["size", "time"];
        Plot { name: "p", title: "A <title>".to_owned(), axes, log_y, marks, series }.svg()
    }

    #[test]
    fn pictures_have_what_was_asked_for() {
        let points = vec![(1.0, 0.1), (30.0, 0.5), (2000.0, 1.0)];
        for (log_y, marks, element) in
            [(true, Marks::Dots, "<circle"), (false, Marks::Line, "<polyline")]
        {
            let svg = plot(log_y, marks, points.clone()).expect("a picture");
            assert!(svg.starts_with("<svg") && svg.trim_end().ends_with("</svg>"), "{svg}");
            for part in [element, "A &lt;title&gt;", "some &amp; others", "size", "time"] {
                assert!(svg.contains(part), "{part:?} in {svg}");
            }
        }
        assert_eq!(plot(true, Marks::Dots, Vec::new()), None);
        assert_eq!(plot(true, Marks::Dots, vec![(0.0, 1.0)]), None);
    }

    #[test]
    fn a_distribution_rises_to_one_and_keeps_its_tail() {
        let Series { points, .. } = Series::distribution("d", (1..=10_000).rev().map(f64::from));
        assert!(points.len() < 1_000, "{}", points.len());
        assert!(points.is_sorted_by(|a, b| a.0 < b.0 && a.1 < b.1));
        assert_eq!(points.last(), Some(&(10_000.0, 1.0)));
        assert!(points.contains(&(9_995.0, 0.9995)));
    }
}
