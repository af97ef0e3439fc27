//! Arrays by `data_ptr()`: tensors of torch before 2.10, which have neither the table of DLPack nor the buffer protocol.

use pyo3::intern;
use pyo3::prelude::*;

use super::plane::{Element, Plane, is_contiguous};
use super::refusal::{no_element, not_contiguous, not_here};

/// Returns the memory of an object with the methods of a torch tensor. `None` for others.
pub(super) fn plane(array: &Bound<'_, PyAny>) -> PyResult<Option<Plane>> {
    let py = array.py();
    let (Some(pointer), Some(device)) =
        (array.getattr_opt(intern!(py, "data_ptr"))?, array.getattr_opt(intern!(py, "device"))?)
    else {
        return Ok(None);
    };
    let kind = device.getattr(intern!(py, "type"))?;
    if kind.extract::<&str>()? != "cpu" {
        return Err(not_here(device));
    }
    let name = array.getattr(intern!(py, "dtype"))?.str()?;
    let element = match name.to_cow()?.as_ref() {
        "torch.int32" | "torch.uint32" => Element::Word,
        "torch.float32" => Element::F32,
        "torch.float16" => Element::F16,
        "torch.bfloat16" => Element::Bf16,
        other => return Err(no_element(other)),
    };
    let shape: Vec<i64> = array.getattr(intern!(py, "shape"))?.extract()?;
    let strides: Vec<i64> = array.call_method0(intern!(py, "stride"))?.extract()?;
    if !is_contiguous(&shape, &strides) {
        return Err(not_contiguous());
    }
    let address: usize = pointer.call0()?.extract()?;
    Plane::new(std::ptr::with_exposed_provenance_mut(address), &shape, element, None).map(Some)
}
