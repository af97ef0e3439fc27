//! Percentiles of samples, and tables of them in Markdown.

use std::fmt;

use crate::maskbench::Percentiles;

/// Samples of one quantity.
#[derive(Clone, Debug, Default)]
pub struct Samples(Vec<f64>);

/// The percentiles that tables show.
pub const SHOWN: [&str; 5] = ["p50", "p90", "p99", "p99.9", "max"];

impl Samples {
    /// Adds a sample.
    pub fn push(&mut self, sample: f64) {
        self.0.push(sample);
    }

    /// Number of samples.
    pub fn len(&self) -> usize {
        self.0.len()
    }

    /// The samples, in order of insertion.
    pub fn iter(&self) -> impl Iterator<Item = f64> {
        self.0.iter().copied()
    }

    /// Whether there are no samples.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// The mean; 0 if there are no samples.
    pub fn mean(&self) -> f64 {
        self.0.iter().sum::<f64>() / self.0.len().max(1) as f64
    }

    /// The median; 0 if there are no samples.
    pub fn median(&self) -> f64 {
        self.percentiles()[0]
    }

    /// The values at the shown percentiles, nearest rank; 0 if there are no samples.
    pub fn percentiles(&self) -> [f64; SHOWN.len()] {
        let Percentiles { p50, p90, p99, p999, max } = Percentiles::of(&mut self.0.clone());
        [p50, p90, p99, p999, max]
    }

    /// This divided by other samples, one by one.
    #[must_use]
    pub fn over(&self, other: &Self) -> Self {
        Self(self.0.iter().zip(&other.0).map(|(ours, theirs)| ours / theirs).collect())
    }
}

impl Extend<f64> for Samples {
    fn extend<T: IntoIterator<Item = f64>>(&mut self, samples: T) {
        self.0.extend(samples);
    }
}

/// Rows of percentiles under a title.
#[derive(Clone, Debug)]
pub struct Table {
    title: String,
    rows: Vec<(String, Vec<f64>)>,
}

impl Table {
    /// A table without rows.
    pub fn new(title: impl Into<String>) -> Self {
        Self { title: title.into(), rows: Vec::new() }
    }

    /// Adds the percentiles and the mean of samples.
    pub fn row(&mut self, name: impl Into<String>, samples: &Samples) {
        let mut cells = samples.percentiles().to_vec();
        cells.push(samples.mean());
        self.rows.push((name.into(), cells));
    }

    /// Adds the ratios of two rows' percentiles.
    pub fn ratio(&mut self, name: impl Into<String>, ours: &Samples, theirs: &Samples) {
        let all = |samples: &Samples| {
            let percentiles = samples.percentiles().into_iter();
            percentiles.chain([samples.mean()]).collect::<Vec<_>>()
        };
        let cells = all(ours).into_iter().zip(all(theirs)).map(|(ours, theirs)| ours / theirs);
        self.rows.push((name.into(), cells.collect()));
    }
}

impl fmt::Display for Table {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "| {} |", self.title)?;
        SHOWN.iter().try_for_each(|name| write!(f, " {name} |"))?;
        writeln!(f, " mean |\n| --- |{}", " --: |".repeat(SHOWN.len() + 1))?;
        for (name, cells) in &self.rows {
            write!(f, "| {name} |")?;
            cells.iter().try_for_each(|&cell| write!(f, " {} |", short(cell)))?;
            writeln!(f)?;
        }
        Ok(())
    }
}

/// Figures by row and column, each of a kind of its own.
#[derive(Clone, Debug)]
pub struct Grid {
    corner: String,
    columns: Vec<&'static str>,
    rows: Vec<(String, Vec<Option<f64>>)>,
}

impl Grid {
    /// A grid without rows.
    pub fn new(corner: impl Into<String>, columns: Vec<&'static str>) -> Self {
        Self { corner: corner.into(), columns, rows: Vec::new() }
    }

    /// Sets a figure. An unknown row is added at the end; an unknown column is ignored.
    pub fn set(&mut self, row: impl Into<String>, column: &str, value: f64) {
        let row = row.into();
        let Some(column) = self.columns.iter().position(|name| *name == column) else { return };
        let at = self.rows.iter().position(|(name, _)| *name == row).unwrap_or_else(|| {
            self.rows.push((row, vec![None; self.columns.len()]));
            self.rows.len() - 1
        });
        self.rows[at].1[column] = Some(value);
    }
}

impl fmt::Display for Grid {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "| {} |", self.corner)?;
        self.columns.iter().try_for_each(|name| write!(f, " {name} |"))?;
        writeln!(f, "\n| --- |{}", " --: |".repeat(self.columns.len()))?;
        for (name, cells) in &self.rows {
            write!(f, "| {name} |")?;
            for cell in cells {
                write!(f, " {} |", cell.map(short).unwrap_or_default())?;
            }
            writeln!(f)?;
        }
        Ok(())
    }
}

/// Three digits that matter, more before the point.
fn short(value: f64) -> String {
    let decimals = match value.abs() {
        0.0 => 0,
        size => (2 - size.log10().floor() as i32).clamp(0, 6) as usize,
    };
    format!("{value:.decimals$}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn percentiles_are_samples_of_that_rank() {
        let mut samples = Samples::default();
        assert_eq!(samples.percentiles(), [0.0; SHOWN.len()]);
        samples.extend((1..=1000).rev().map(f64::from));
        assert_eq!(samples.percentiles(), [500.0, 900.0, 990.0, 999.0, 1000.0]);
        assert_eq!(samples.mean(), 500.5);
    }

    #[test]
    fn grids_keep_the_order_of_rows() {
        let mut grid = Grid::new("what", vec!["a", "b"]);
        for (row, column, value) in [("x", "b", 2.0), ("y", "a", 0.5), ("x", "none", 1.0)] {
            grid.set(row, column, value);
        }
        let text = "| what | a | b |\n| --- | --: | --: |\n| x |  | 2.00 |\n| y | 0.500 |  |\n";
        assert_eq!(grid.to_string(), text);
    }

    #[test]
    fn numbers_are_short() {
        for (value, text) in [
            (0.0, "0"),
            (0.000_043_21, "0.000043"),
            (0.01234, "0.0123"),
            (1.234, "1.23"),
            (12345.6, "12346"),
        ] {
            assert_eq!(short(value), text);
        }
    }
}
