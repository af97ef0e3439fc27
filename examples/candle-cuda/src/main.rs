//! Masks of grammars on candle's tensors, where they are: `candle-cuda VOCABULARY.gvocab GRAMMAR.gmask`
//!
//! A loop over random logits replaces a model. The mask is an operation in place on the tensor of logits, the token is sampled on the
//! device under the same mask, and the position advances there; the host reads the token to print it, and not to go on.

use candle_core::backend::BackendStorage;
use candle_core::cuda_backend::cudarc::driver::{DevicePtr, DevicePtrMut};
use candle_core::{CpuStorage, CudaStorage, DType, Device, InplaceOp1, Layout, Result, Tensor, bail};
use grammarc_cuda::{DeviceLogits, DevicePointer, DeviceTokens, Dtype, Slots, Stream};
use grammarc_runtime::{Grammar, Matcher, Vocabulary};

/// The masks of slots, row by row of a matrix of logits.
struct Masked<'s>(&'s Slots);

impl InplaceOp1 for Masked<'_> {
    fn name(&self) -> &'static str {
        "grammarc-mask"
    }

    fn cpu_fwd(&self, _storage: &mut CpuStorage, _layout: &Layout) -> Result<()> {
        bail!("on the CPU, a matcher's mask is applied to a slice: Mask::apply")
    }

    fn cuda_fwd(&self, storage: &mut CudaStorage, layout: &Layout) -> Result<()> {
        let (rows, columns) = layout.shape().dims2()?;
        if !layout.is_contiguous() {
            bail!("the logits are not contiguous");
        }
        let stream = storage.device().cuda_stream();
        let raw = stream.cu_stream().cast();
        let (from, shape) = (layout.start_offset() as u64, (rows as u32, columns as u32));
        let apply = |address: u64, dtype: Dtype| {
            // SAFETY: the tensor's memory from its offset on, which is alive and written by nobody else during the operation.
            let at = unsafe { DevicePointer::from_raw(address + from * dtype.bytes()) };
            // SAFETY: candle's stream, alive as long as the device.
            let stream = unsafe { Stream::from_raw(raw) };
            let logits = DeviceLogits::new(at, dtype, shape.0, shape.1);
            self.0.apply(&logits, stream).map_err(candle_core::Error::wrap)
        };
        match storage.dtype() {
            DType::F32 => apply(storage.as_cuda_slice_mut::<f32>()?.device_ptr_mut(&stream).0, Dtype::F32),
            DType::F16 => apply(storage.as_cuda_slice_mut::<half::f16>()?.device_ptr_mut(&stream).0, Dtype::F16),
            DType::BF16 => apply(storage.as_cuda_slice_mut::<half::bf16>()?.device_ptr_mut(&stream).0, Dtype::Bf16),
            other => bail!("logits of {other:?}: f32, f16 or bf16 are masked"),
        }
    }
}

fn main() -> std::result::Result<(), Box<dyn std::error::Error>> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let [vocabulary, grammar] = &arguments[..] else { return Err("VOCABULARY.gvocab GRAMMAR.gmask".into()) };
    let vocabulary = Vocabulary::open(vocabulary)?;
    let grammar = Grammar::open(grammar, &vocabulary)?;
    let mut matcher = Matcher::new(&grammar);

    let candle = Device::new_cuda(0)?;
    let device = grammarc_cuda::Device::open(&grammarc_cuda::DeviceOptions::default())?;
    let cuda = candle.as_cuda_device()?.cuda_stream();
    // SAFETY: candle's stream, alive as long as its device.
    let stream = unsafe { Stream::from_raw(cuda.cu_stream().cast()) };
    let resident = device.upload(&matcher, stream)?;
    let mut slots = device.slots(1, 0, stream)?;
    slots.write(0, &resident, &mut matcher, stream)?;

    for _ in 0..64 {
        let width = vocabulary.logit_width() as usize;
        let logits = Tensor::randn(0f32, 4f32, (1, width), &candle)?;
        logits.inplace_op1(&Masked(&slots))?;
        let token = logits.argmax(1)?.to_dtype(DType::I32)?;
        {
            let (storage, layout) = token.storage_and_layout();
            let candle_core::Storage::Cuda(storage) = &*storage else { return Err("the token is not on the device".into()) };
            let address = storage.as_cuda_slice::<i32>()?.device_ptr(&cuda).0 + 4 * layout.start_offset() as u64;
            // SAFETY: one i32 that lives until the launch has been made on the stream that frees it.
            let tokens = unsafe { DevicePointer::from_raw(address) };
            let none = DevicePointer::NULL;
            slots.advance(&DeviceTokens { count: 1, tokens, stride: 1, slots: none }, none, stream)?;
        }
        let token = token.to_vec1::<i32>()?[0] as u32;
        matcher.accept(token)?;
        print!("{}", String::from_utf8_lossy(vocabulary.token_bytes(token)));
        if slots.statuses(stream)?[0].waits_for_host() {
            slots.write(0, &resident, &mut matcher, stream)?;
        }
        if matcher.is_finished() {
            break;
        }
    }
    println!();
    Ok(())
}
