//! The output of a run: its table on standard output as it grows, and at the end a dated file with plots beside it.

use std::io::{self, Write};
use std::path::Path;

use grammarc_artifacts::write;
use grammarc_benches::machine;
use grammarc_benches::plot::Plot;

/// The table so far, and the plots.
#[derive(Debug, Default)]
pub(crate) struct Report {
    text: Vec<u8>,
    plots: Vec<Plot>,
}

impl Report {
    /// Adds a plot.
    pub(crate) fn plot(&mut self, plot: Plot) {
        self.plots.push(plot);
    }

    /// Writes `DATE.md` and `DATE-NAME.svg` for each plot that has something to show.
    pub(crate) fn write(&self, folder: &Path) -> io::Result<()> {
        std::fs::create_dir_all(folder)?;
        let date = machine::date();
        let mut text = format!("# compare, {date}\n\n").into_bytes();
        text.extend(&self.text);
        let mut heading = "\n## Plots\n\n";
        for plot in &self.plots {
            let Some(svg) = plot.svg() else { continue };
            let file = format!("{date}-{}.svg", plot.name);
            replace(&folder.join(&file), svg.as_bytes())?;
            text.extend(format!("{heading}![{}]({file})\n", plot.title).bytes());
            heading = "";
        }
        replace(&folder.join(format!("{date}.md")), &text)
    }
}

impl Write for Report {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.text.extend(bytes);
        io::stdout().write_all(bytes)?;
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        io::stdout().flush()
    }
}

fn replace(path: &Path, bytes: &[u8]) -> io::Result<()> {
    write::replace(path, bytes).map_err(io::Error::other)
}
