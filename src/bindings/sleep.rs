//! A timer that ends when the caller's signal aborts, and leaves neither a timer nor a
//! listener behind on any way out.

use crate::clock::DelayMs;
use crate::driver::Slept;
use gloo_timers::callback::Timeout;
use std::cell::{Cell, RefCell};
use std::future::poll_fn;
use std::rc::Rc;
use std::task::{Poll, Waker};
use wasm_bindgen::prelude::*;
use web_sys::AbortSignal;

/// Sleeps on the runtime's timer, raced with `signal`.
pub async fn sleep(delay: DelayMs, signal: Option<&AbortSignal>) -> Slept {
    if signal.is_some_and(AbortSignal::aborted) {
        return Slept::Cancelled;
    }
    let over = Rc::new(Cell::new(false));
    let watch = signal.map(Watch::new);
    let mut timer = None;
    poll_fn(|context| {
        timer.get_or_insert_with(|| {
            let (over, waker) = (Rc::clone(&over), context.waker().clone());
            Timeout::new(u32::try_from(delay.get()).unwrap_or(u32::MAX), move || {
                over.set(true);
                waker.wake();
            })
        });
        if let Some(watch) = &watch {
            watch.tell(context.waker());
            if watch.signal.aborted() {
                return Poll::Ready(Slept::Cancelled);
            }
        }
        if over.get() { Poll::Ready(Slept::Through) } else { Poll::Pending }
    })
    .await
}

/// One `abort` listener, for as long as it lives.
struct Watch<'s> {
    signal: &'s AbortSignal,
    waker: Rc<RefCell<Option<Waker>>>,
    listener: Closure<dyn FnMut()>,
}

impl Watch<'_> {
    fn new(signal: &AbortSignal) -> Watch<'_> {
        let waker: Rc<RefCell<Option<Waker>>> = Rc::default();
        let told = Rc::clone(&waker);
        let listener = Closure::new(move || {
            let waker = told.borrow_mut().take();
            if let Some(waker) = waker {
                waker.wake();
            }
        });
        // A signal that takes no listener cannot interrupt the sleep; it is still asked after it.
        let _ = signal.add_event_listener_with_callback("abort", listener.as_ref().unchecked_ref());
        Watch { signal, waker, listener }
    }

    fn tell(&self, waker: &Waker) {
        *self.waker.borrow_mut() = Some(waker.clone());
    }
}

impl Drop for Watch<'_> {
    fn drop(&mut self) {
        let _ = self.signal.remove_event_listener_with_callback("abort", self.listener.as_ref().unchecked_ref());
    }
}
