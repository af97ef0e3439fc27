//! Words that are written one table after the other.

/// Tables begin at multiples of this many words: 128 bytes, a line of the device's cache.
const ALIGNED: usize = 32;

/// The words of some tables, and which of them are offsets of the image itself.
#[derive(Debug, Default)]
pub(crate) struct Writer {
    words: Vec<u32>,
    own: Vec<u32>,
}

/// Words that are ready for relocation.
#[derive(Debug)]
pub(crate) struct Image {
    words: Vec<u32>,
    own: Vec<u32>,
}

impl Writer {
    /// Adds a table and returns its offset.
    pub(crate) fn table(&mut self, words: &[u32]) -> u32 {
        let at = self.begin();
        self.words.extend_from_slice(words);
        at
    }

    /// Adds a table of bytes.
    pub(crate) fn bytes(&mut self, bytes: &[u8]) -> u32 {
        let at = self.begin();
        let word = |four: &[u8]| {
            let mut whole = [0; 4];
            whole[..four.len()].copy_from_slice(four);
            u32::from_le_bytes(whole)
        };
        self.words.extend(bytes.chunks(4).map(word));
        at
    }

    /// Adds a table of zeros.
    pub(crate) fn reserve(&mut self, words: u32) -> u32 {
        let at = self.begin();
        self.words.resize(self.words.len() + words as usize, 0);
        at
    }

    /// Writes a word.
    pub(crate) fn set(&mut self, at: u32, word: u32) {
        self.words[at as usize] = word;
    }

    /// Records that a word is an offset of this image.
    pub(crate) fn names_own(&mut self, at: u32) {
        self.own.push(at);
    }

    pub(crate) fn finish(self) -> Image {
        Image { words: self.words, own: self.own }
    }

    fn begin(&mut self) -> u32 {
        self.words.resize(self.words.len().next_multiple_of(ALIGNED), 0);
        self.words.len() as u32
    }
}

impl Image {
    /// Number of words.
    pub(crate) fn len(&self) -> u32 {
        self.words.len() as u32
    }

    /// Relocates the words to an image that begins at word `base` of the pool.
    pub(crate) fn at(mut self, base: u32) -> Vec<u32> {
        for at in self.own {
            self.words[at as usize] += base;
        }
        self.words
    }
}
