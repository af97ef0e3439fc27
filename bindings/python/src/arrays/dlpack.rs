//! Arrays by DLPack: the table of C functions to read other libraries' arrays, and capsules to share ours.
//!
//! Layouts are those of the specification, version 1.x, and stable within its major version.

use std::ffi::{CStr, c_int, c_void};
use std::ptr::{self, NonNull};
use std::slice;

use pyo3::exceptions::PyBufferError;
use pyo3::prelude::*;
use pyo3::types::PyCapsule;
use pyo3::{ffi, intern};

use super::plane::{Element, Plane, is_contiguous};
use super::refusal::{no_element, not_contiguous, not_here};

/// The processor's memory: type and number of the device.
pub(crate) const CPU: (i32, i32) = (1, 0);
/// Pinned memory of the host, which the processor writes like other memory.
const PINNED: [i32; 2] = [3, 11];

/// Major version of the layouts here.
const MAJOR: u32 = 1;

#[repr(C)]
#[derive(Clone, Copy)]
struct Device {
    kind: i32,
    id: i32,
}

#[repr(C)]
#[derive(Clone, Copy)]
struct DataType {
    code: u8,
    bits: u8,
    lanes: u16,
}

#[repr(C)]
struct Tensor {
    data: *mut c_void,
    device: Device,
    dimensions: i32,
    element: DataType,
    shape: *mut i64,
    strides: *mut i64,
    byte_offset: u64,
}

#[repr(C)]
struct Version {
    major: u32,
    minor: u32,
}

#[repr(C)]
struct Header {
    version: Version,
    previous: *mut Header,
}

type Function = Option<unsafe extern "C" fn()>;

/// A library's table of functions for its arrays.
#[repr(C)]
struct Exchange {
    header: Header,
    allocate: Function,
    managed_from_object: Function,
    managed_to_object: Function,
    /// Describes an array without a reference to it.
    tensor_from_object: Option<unsafe extern "C" fn(*mut c_void, *mut Tensor) -> c_int>,
    current_stream: Function,
}

/// Returns the memory of an array whose type has the table. `None` for others.
#[allow(unsafe_code)]
pub(super) fn plane(array: &Bound<'_, PyAny>) -> PyResult<Option<Plane>> {
    let py = array.py();
    let Some(table) = array.get_type().getattr_opt(intern!(py, "__dlpack_c_exchange_api__"))?
    else {
        return Ok(None);
    };
    let Ok(table) = table.cast_into::<PyCapsule>() else { return Ok(None) };
    let Ok(table) = table.pointer_checked(Some(c"dlpack_exchange_api")) else { return Ok(None) };
    // SAFETY: a capsule of this name holds the table of the specification, which lives as long as the process. Its header is
    // the same in every version; what follows is read where the major version is ours.
    let table = unsafe { table.cast::<Exchange>().as_ref() };
    if table.header.version.major != MAJOR {
        return Ok(None);
    }
    let Some(describe) = table.tensor_from_object else { return Ok(None) };
    let mut tensor = std::mem::MaybeUninit::<Tensor>::zeroed();
    // SAFETY: the function describes an object of the type that the table belongs to, into room for a tensor.
    if unsafe { describe(array.as_ptr().cast(), tensor.as_mut_ptr()) } != 0 {
        return Err(PyErr::fetch(py));
    }
    // SAFETY: the call succeeded, so the tensor is described. Shape and strides live as long as the array.
    let (tensor, shape, strides) = unsafe {
        let tensor = tensor.assume_init();
        let dimensions = usize::try_from(tensor.dimensions).unwrap_or(0);
        let list = |list: *mut i64| match list.is_null() || dimensions == 0 {
            true => &[][..],
            false => slice::from_raw_parts(list, dimensions),
        };
        let (shape, strides) = (list(tensor.shape), list(tensor.strides));
        (tensor, shape, strides)
    };
    if tensor.device.kind != CPU.0 && !PINNED.contains(&tensor.device.kind) {
        return Err(not_here(format!(
            "device {} of kind {}",
            tensor.device.id, tensor.device.kind
        )));
    }
    let DataType { code, bits, lanes } = tensor.element;
    let element = element(tensor.element)
        .ok_or_else(|| no_element(format!("type {code} with {bits} bits and {lanes} lanes")))?;
    if !strides.is_empty() && !is_contiguous(shape, strides) {
        return Err(not_contiguous());
    }
    let data = tensor.data.cast::<u8>().wrapping_add(tensor.byte_offset as usize);
    Plane::new(data, shape, element, None).map(Some)
}

fn element(element: DataType) -> Option<Element> {
    match (element.code, element.bits, element.lanes) {
        (0 | 1, 32, 1) => Some(Element::Word),
        (2, 32, 1) => Some(Element::F32),
        (2, 16, 1) => Some(Element::F16),
        (4, 16, 1) => Some(Element::Bf16),
        _ => None,
    }
}

/// A tensor that the consumer of the capsule owns.
#[repr(C)]
struct Managed {
    tensor: Tensor,
    context: *mut c_void,
    deleter: Option<unsafe extern "C" fn(*mut Managed)>,
}

/// A tensor with a version, from version 1 on.
#[repr(C)]
struct ManagedVersioned {
    version: Version,
    context: *mut c_void,
    deleter: Option<unsafe extern "C" fn(*mut ManagedVersioned)>,
    flags: u64,
    tensor: Tensor,
}

const NAME: &CStr = c"dltensor";
const NAME_VERSIONED: &CStr = c"dltensor_versioned";

/// The data that a capsule's tensor refers to: shape and strides, and the object that owns the memory.
struct Context {
    shape: [i64; 2],
    strides: [i64; 2],
    owner: Py<PyAny>,
}

/// Returns a capsule of rows of `int32`, which keeps their owner alive.
#[allow(unsafe_code)]
pub(crate) fn capsule<'py>(
    py: Python<'py>,
    data: *mut c_void,
    shape: [i64; 2],
    owner: &Bound<'py, PyAny>,
    max_version: Option<(u32, u32)>,
) -> PyResult<Bound<'py, PyAny>> {
    let strides = [shape[1], 1];
    let context =
        Box::into_raw(Box::new(Context { shape, strides, owner: owner.clone().unbind() }));
    // SAFETY: the context was just made, and its lists have a fixed address in its box.
    let (shape, strides) =
        unsafe { ((*context).shape.as_mut_ptr(), (*context).strides.as_mut_ptr()) };
    let tensor = Tensor {
        data,
        device: Device { kind: CPU.0, id: CPU.1 },
        dimensions: 2,
        element: DataType { code: 0, bits: 32, lanes: 1 },
        shape,
        strides,
        byte_offset: 0,
    };
    let context = context.cast();
    // SAFETY: each pointer is a box of the type that its destructor frees.
    let capsule = unsafe {
        if max_version.is_some_and(|version| version.0 >= MAJOR) {
            let version = Version { major: MAJOR, minor: 0 };
            let deleter = Some(delete_versioned as unsafe extern "C" fn(*mut ManagedVersioned));
            let managed = ManagedVersioned { version, context, deleter, flags: 0, tensor };
            let managed = Box::into_raw(Box::new(managed)).cast();
            ffi::PyCapsule_New(managed, NAME_VERSIONED.as_ptr(), Some(drop_versioned))
        } else {
            let managed = Managed { tensor, context, deleter: Some(delete) };
            ffi::PyCapsule_New(
                Box::into_raw(Box::new(managed)).cast(),
                NAME.as_ptr(),
                Some(drop_capsule),
            )
        }
    };
    // SAFETY: the call gives a new reference, or null with an exception set.
    let capsule = unsafe { Bound::from_owned_ptr_or_err(py, capsule) };
    capsule.map_err(|error| {
        let text = PyBufferError::new_err("no capsule was made");
        text.set_cause(py, Some(error));
        text
    })
}

/// Frees a context. It may be called on any thread, attached or not.
#[allow(unsafe_code)]
unsafe fn free(context: *mut c_void) {
    if let Some(context) = NonNull::new(context.cast::<Context>()) {
        // SAFETY: it is the box that `capsule` made, and this is the only place that frees it.
        let context = unsafe { Box::from_raw(context.as_ptr()) };
        Python::attach(|py| context.owner.drop_ref(py));
    }
}

#[allow(unsafe_code)]
unsafe extern "C" fn delete(managed: *mut Managed) {
    if !managed.is_null() {
        // SAFETY: it is the box that `capsule` made, given back once.
        unsafe { free(Box::from_raw(managed).context) }
    }
}

#[allow(unsafe_code)]
unsafe extern "C" fn delete_versioned(managed: *mut ManagedVersioned) {
    if !managed.is_null() {
        // SAFETY: it is the box that `capsule` made, given back once.
        unsafe { free(Box::from_raw(managed).context) }
    }
}

/// Returns the pointer of a capsule that was not consumed: a consumer renames it.
#[allow(unsafe_code)]
unsafe fn unconsumed(capsule: *mut ffi::PyObject, name: &CStr) -> *mut c_void {
    // SAFETY: Python calls destructors with the capsule that they belong to.
    unsafe {
        match ffi::PyCapsule_IsValid(capsule, name.as_ptr()) {
            0 => ptr::null_mut(),
            _ => ffi::PyCapsule_GetPointer(capsule, name.as_ptr()),
        }
    }
}

#[allow(unsafe_code)]
unsafe extern "C" fn drop_capsule(capsule: *mut ffi::PyObject) {
    // SAFETY: a capsule of this name that was not consumed holds what `delete` frees.
    unsafe { delete(unconsumed(capsule, NAME).cast()) }
}

#[allow(unsafe_code)]
unsafe extern "C" fn drop_versioned(capsule: *mut ffi::PyObject) {
    // SAFETY: a capsule of this name that was not consumed holds what `delete_versioned` frees.
    unsafe { delete_versioned(unconsumed(capsule, NAME_VERSIONED).cast()) }
}
