//! The host's sequences on the device: the position and the mask of each.
//!
//! Slots do not move and their number is fixed, so a captured graph may refer to them. The host writes a position
//! when a sequence begins, after a rollback, and if the device left the decision to it. All else happens on the
//! device.

use grammarc_runtime::Matcher;

use crate::device::{Device, DeviceBitmask};
use crate::driver::{DevicePointer, Memory, Stream};
use crate::error::CudaError;
use crate::layout::{
    AdvanceParams, NONE, Position, Row, STATUS_FINISHED, STATUS_HOST, STATUS_REFUSED, SampleParams,
};
use crate::logits::DeviceLogits;
use crate::pool::Words;
use crate::resident::Resident;

/// Status of a slot after a token: how its last token was taken.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Status(u32);

impl Status {
    /// The status that a word of [`Slots::status`] says.
    pub fn from_word(word: u32) -> Self {
        Self(word)
    }

    /// The device does not decide the token: the host takes it and writes the slot.
    pub fn waits_for_host(self) -> bool {
        self.0 & STATUS_HOST != 0
    }

    /// The token is not allowed; the position stayed.
    pub fn is_refused(self) -> bool {
        self.0 & STATUS_REFUSED != 0
    }

    /// An end token was taken.
    pub fn is_finished(self) -> bool {
        self.0 & STATUS_FINISHED != 0
    }
}

/// Tables that a slot uses and that are not freed before: its grammar, and a mask of its own. Places after drafts use
/// those of the grammar only.
#[derive(Debug, Default)]
struct Held {
    _resident: Option<Resident>,
    _own: Option<Words>,
}

/// Tokens of sequences on the device, i32: -1 for a sequence that has none.
#[derive(Clone, Copy, Debug)]
pub struct DeviceTokens {
    /// Number of sequences.
    pub count: u32,
    /// By sequence its first token.
    pub tokens: DevicePointer,
    /// Tokens from one sequence to the next.
    pub stride: i64,
    /// The slot of each sequence, i32, -1 for none; or [`DevicePointer::NULL`]: the number of the sequence.
    pub slots: DevicePointer,
}

/// Parameters of sampling, by row of logits, on the device.
#[derive(Clone, Copy, Debug)]
pub struct Sampling {
    /// i32, written: the token, or -1 if none is allowed, or if the row is left out or pending.
    pub tokens: DevicePointer,
    /// f32: 0 for the greatest logit; or [`DevicePointer::NULL`]: 0 for all.
    pub temperatures: DevicePointer,
    /// u64 seeds; or [`DevicePointer::NULL`]: 0 for all.
    pub seeds: DevicePointer,
    /// u64: a number that a seed is used with once, such as the index of the token; or [`DevicePointer::NULL`]: 0 for
    /// all.
    pub steps: DevicePointer,
}

/// Positions and rows of a fixed number of sequences.
#[derive(Debug)]
pub struct Slots {
    device: Device,
    slots: u32,
    places: u32,
    positions: Memory,
    rows: Memory,
    status: Memory,
    best: Memory,
    blocks: Memory,
    held: Vec<Held>,
}

impl Device {
    /// Creates places for some sequences, and for some drafts after each. O(slots x (drafts + 1)) memory, 356 bytes a
    /// place.
    ///
    /// # Errors
    ///
    /// The device has too little memory.
    pub fn slots(&self, slots: u32, drafts: u32, stream: Stream) -> Result<Slots, CudaError> {
        Slots::new(self, slots, drafts, stream)
    }
}

impl Slots {
    fn new(device: &Device, slots: u32, drafts: u32, stream: Stream) -> Result<Self, CudaError> {
        let places = drafts + 1;
        let all = u64::from(slots) * u64::from(places);
        let memory = |bytes: u64, fill| Memory::new(device.context(), bytes, fill, stream);
        Ok(Self {
            slots,
            places,
            positions: memory(all * size_of::<Position>() as u64, NONE)?,
            rows: memory(all * size_of::<Row>() as u64, 0)?,
            status: memory(u64::from(slots) * 4, 0)?,
            best: memory(all * 8, 0)?,
            blocks: memory(all * 4, 0)?,
            held: (0..slots).map(|_| Held::default()).collect(),
            device: device.clone(),
        })
    }

    /// Number of slots.
    pub fn len(&self) -> u32 {
        self.slots
    }

    /// Whether there are no slots.
    pub fn is_empty(&self) -> bool {
        self.slots == 0
    }

    /// The number of drafts that each slot has places for.
    pub fn drafts(&self) -> u32 {
        self.places - 1
    }

    /// Writes the position of a sequence: at its beginning, after a rollback, or if the device waits for the host.
    /// Two copies of 352 bytes, and a copy of the mask if it has too many parts or individually excluded tokens.
    ///
    /// # Errors
    /// There is no such slot, the matcher follows another grammar or has other end tokens than the resident one, or
    /// the driver fails.
    pub fn write(
        &mut self,
        slot: u32,
        resident: &Resident,
        matcher: &mut Matcher,
        stream: Stream,
    ) -> Result<(), CudaError> {
        let slots = self.slots;
        let held = self.held.get_mut(slot as usize).ok_or(CudaError::Slot { slot, slots })?;
        let (own, row) = resident.row(matcher, stream)?;
        let position = resident.position(matcher);
        let place = u64::from(slot) * u64::from(self.places);
        let context = self.device.context();
        context.upload(
            self.positions.pointer().offset(place * size_of::<Position>() as u64),
            &[position],
            stream,
        )?;
        context.upload(
            self.rows.pointer().offset(place * size_of::<Row>() as u64),
            &[row],
            stream,
        )?;
        let status = self.status.pointer().offset(u64::from(slot) * 4);
        context.upload(status, &[position.status], stream)?;
        *held = Held { _resident: Some(resident.clone()), _own: own };
        Ok(())
    }

    /// Releases a slot: from now on its rows allow everything, and it does not advance.
    ///
    /// # Errors
    ///
    /// There is no such slot, or the driver fails.
    pub fn release(&mut self, slot: u32, stream: Stream) -> Result<(), CudaError> {
        let slots = self.slots;
        let held = self.held.get_mut(slot as usize).ok_or(CudaError::Slot { slot, slots })?;
        let place = u64::from(slot) * u64::from(self.places);
        let context = self.device.context();
        let places = self.places as usize;
        let position = Position { grammar: NONE, ..bytemuck::Zeroable::zeroed() };
        let row: Row = bytemuck::Zeroable::zeroed();
        let positions = vec![position; places];
        let rows = vec![row; places];
        context.upload(
            self.positions.pointer().offset(place * size_of::<Position>() as u64),
            &positions,
            stream,
        )?;
        context.upload(
            self.rows.pointer().offset(place * size_of::<Row>() as u64),
            &rows,
            stream,
        )?;
        *held = Held::default();
        Ok(())
    }

    /// Writes negative infinity over the logits that are not allowed, and leaves the others unchanged. A row's number
    /// is a place: slot x (drafts + 1) + the number of drafts before it. O(columns) for a row, and next to nothing if
    /// all is allowed.
    ///
    /// # Errors
    ///
    /// The driver fails.
    pub fn apply(&self, logits: &DeviceLogits, stream: Stream) -> Result<(), CudaError> {
        self.device.apply(self.rows.pointer(), logits, stream)
    }

    /// Writes masks as rows of a bitmask, for hosts that apply it themselves. `numbers` are places by bitmask row as in
    /// [`apply`](Self::apply), or [`DevicePointer::NULL`].
    ///
    /// # Errors
    /// The driver fails.
    /// The driver fails.
    pub fn fill(
        &self,
        bitmask: &DeviceBitmask,
        rows: u32,
        numbers: DevicePointer,
        stream: Stream,
    ) -> Result<(), CudaError> {
        self.device.fill(self.rows.pointer(), bitmask, rows, numbers, stream)
    }

    /// Advances each sequence's slot by a token. `accepted` has, by sequence and i32, the number of its accepted
    /// drafts, which precede the token; or [`DevicePointer::NULL`]: none. O(bytes of the token) for a sequence, all
    /// in parallel.
    ///
    /// # Errors
    ///
    /// The driver fails.
    pub fn advance(
        &self,
        tokens: &DeviceTokens,
        accepted: DevicePointer,
        stream: Stream,
    ) -> Result<(), CudaError> {
        let params = AdvanceParams { accepted: accepted.address(), ..self.params(tokens) };
        self.device.advance(&params, stream)
    }

    /// Computes the places after each of some drafts, up to the first one that is not allowed; later rows equal that
    /// of the last place. `allowed` is written by sequence, i32: the number of allowed drafts; or
    /// [`DevicePointer::NULL`].
    ///
    /// # Errors
    ///
    /// There are more drafts than places for them, or the driver fails.
    pub fn draft(
        &self,
        tokens: &DeviceTokens,
        drafts: u32,
        allowed: DevicePointer,
        stream: Stream,
    ) -> Result<(), CudaError> {
        if drafts > self.drafts() {
            return Err(CudaError::Drafts { drafts, most: self.drafts() });
        }
        if drafts == 0 {
            return Ok(());
        }
        let params = AdvanceParams { drafts, allowed: allowed.address(), ..self.params(tokens) };
        self.device.advance(&params, stream)
    }

    /// Samples an allowed token in each row of logits. If `slots` are given, advances them at once: by row, i32, as
    /// in [`DeviceTokens::slots`]. At most as many rows as places. One pass over the words of the masks and the
    /// logits of words that allow any token.
    ///
    /// # Errors
    ///
    /// There are more rows than places, or the driver fails.
    pub fn sample(
        &self,
        logits: &DeviceLogits,
        sampling: &Sampling,
        slots: Option<DevicePointer>,
        stream: Stream,
    ) -> Result<(), CudaError> {
        let (rows, most) = (logits.params.rows, self.slots * self.places);
        if rows > most {
            return Err(CudaError::Slot { slot: rows, slots: most });
        }
        let tokens = DeviceTokens {
            count: rows,
            tokens: DevicePointer::NULL,
            stride: 1,
            slots: slots.unwrap_or(DevicePointer::NULL),
        };
        let params = SampleParams {
            pool: self.device.pool(),
            rows: self.rows.pointer().address(),
            logits: logits.params,
            best: self.best.pointer().address(),
            blocks: self.blocks.pointer().address(),
            tokens: sampling.tokens.address(),
            temperatures: sampling.temperatures.address(),
            seeds: sampling.seeds.address(),
            steps: sampling.steps.address(),
            advances: u32::from(slots.is_some()),
            pad: 0,
            advance: self.params(&tokens),
        };
        self.device.sample(&params, stream)
    }

    /// The address of the statuses, u32 by slot, for a host that copies them with its tokens: see
    /// [`Status::from_word`].
    pub fn status(&self) -> DevicePointer {
        self.status.pointer()
    }

    /// The statuses by slot, when all work of the stream has ended.
    ///
    /// # Errors
    ///
    /// Some of the work failed.
    pub fn statuses(&self, stream: Stream) -> Result<Vec<Status>, CudaError> {
        let mut words = vec![0; self.slots as usize];
        self.device.context().download(self.status.pointer(), &mut words, stream)?;
        Ok(words.into_iter().map(Status).collect())
    }

    /// The addresses of positions and rows.
    #[cfg(test)]
    pub(crate) fn memory(&self) -> (DevicePointer, DevicePointer) {
        (self.positions.pointer(), self.rows.pointer())
    }

    fn params(&self, tokens: &DeviceTokens) -> AdvanceParams {
        AdvanceParams {
            pool: self.device.pool(),
            positions: self.positions.pointer().address(),
            rows: self.rows.pointer().address(),
            status: self.status.pointer().address(),
            places: self.places,
            count: tokens.count,
            slots: tokens.slots.address(),
            tokens: tokens.tokens.address(),
            token_stride: tokens.stride,
            accepted: 0,
            drafts: 0,
            pad: 0,
            allowed: 0,
        }
    }
}
