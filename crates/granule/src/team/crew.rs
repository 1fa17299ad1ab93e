//! The threads of a team: calls to work, and the return from it.

use std::any::Any;
use std::cell::{Cell, UnsafeCell};
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::sync::atomic::{AtomicBool, AtomicU32, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread::JoinHandle;

use super::wait::{Apart, Wait};

/// Most members of a crew.
const MOST_MEMBERS: usize = 1 << 12;

thread_local! {
    /// Which member this thread is.
    pub static MEMBER: Cell<usize> = const { Cell::new(0) };
    /// Whether this thread works for a call.
    static WORKING: Cell<bool> = const { Cell::new(false) };
}

/// The threads beside the one that calls.
#[derive(Debug)]
pub struct Crew {
    shared: Arc<Shared>,
    threads: Vec<JoinHandle<()>>,
}

/// What a call asks each member to do.
type Work<'a> = &'a (dyn Fn(usize) + Sync);

struct Shared {
    /// The work of the last call, valid until all who took it are back.
    work: UnsafeCell<Option<Work<'static>>>,
    /// Whether somebody calls; others do their work alone.
    taken: AtomicBool,
    /// Whether somebody has panicked during this call.
    broken: AtomicBool,
    panic: Mutex<Option<Box<dyn Any + Send>>>,
    /// Whether threads are to end; they look at it all the time, and nothing else changes on its cache line.
    leave: Apart<AtomicBool>,
    /// Per member, what it is at.
    mailbox: Vec<Apart<AtomicU32>>,
    /// Per member, the next item of its run that nobody has taken.
    next: Vec<Apart<AtomicUsize>>,
}

// SAFETY: `work` is written only by who has `taken` the crew, while no member is at work, and read by members of a call.
unsafe impl Sync for Shared {}
// SAFETY: what it points to can be used from any thread.
unsafe impl Send for Shared {}

impl std::fmt::Debug for Shared {
    fn fmt(&self, f: &mut std::fmt::Formatter) -> std::fmt::Result {
        f.debug_struct("Shared").finish_non_exhaustive()
    }
}

/// What a thread is at, in its mailbox, on which only it and the caller look: a call disturbs nobody whom it is not for. A call
/// that is not answered by the time the work is done is withdrawn, so that nobody waits for a thread that the system does not
/// let run.
mod at {
    /// Looks out for a call.
    pub const REST: u32 = 0;
    /// Sleeps until it is woken.
    pub const SLEEP: u32 = 1;
    /// Is called and has not answered.
    pub const CALL: u32 = 2;
    /// Works.
    pub const WORK: u32 = 3;
}

impl Crew {
    /// A crew of `count` members, the caller among them.
    pub fn new(count: usize) -> std::io::Result<Self> {
        let count = count.clamp(1, MOST_MEMBERS);
        let shared = Arc::new(Shared {
            work: UnsafeCell::new(None),
            taken: AtomicBool::new(false),
            broken: AtomicBool::new(false),
            panic: Mutex::new(None),
            leave: Apart::default(),
            mailbox: (0..count).map(|_| Apart::default()).collect(),
            next: (0..count).map(|_| Apart::default()).collect(),
        });
        // Made one by one, so that those already there leave if one cannot be started.
        let mut crew = Self { shared, threads: Vec::new() };
        for member in 1..count {
            let shared = Arc::clone(&crew.shared);
            let thread = std::thread::Builder::new().name(format!("granule {member}"));
            crew.threads.push(thread.spawn(move || shared.serve(member))?);
        }
        Ok(crew)
    }

    /// Number of members.
    pub fn len(&self) -> usize {
        self.threads.len() + 1
    }
}

impl Drop for Crew {
    fn drop(&mut self) {
        self.shared.leave.0.store(true, Ordering::SeqCst);
        for thread in &self.threads {
            thread.thread().unpark();
        }
        for thread in self.threads.drain(..) {
            // It has no panic to tell of: work is caught.
            let _ = thread.join();
        }
    }
}

/// The right to call a crew, or none: then the caller works alone.
pub struct Region<'a> {
    crew: Option<&'a Crew>,
    members: usize,
}

impl<'a> Region<'a> {
    /// Asks for up to `most` members of a crew. Who works for a call already, or finds the crew taken, is alone.
    pub fn begin(crew: Option<&'a Crew>, most: usize) -> Self {
        let members = crew.map_or(1, |crew| most.min(crew.len()));
        let alone = Self { crew: None, members: 1 };
        match crew {
            Some(crew) if members > 1 && !WORKING.get() => {
                let free = !crew.shared.taken.swap(true, Ordering::Acquire);
                if free { Self { crew: Some(crew), members } } else { alone }
            }
            _ => alone,
        }
    }

    /// Number of members.
    pub fn members(&self) -> usize {
        self.members
    }

    /// Has members do the work, and waits for those who do. A member may come late or not at all: the work must be such that
    /// the others do it, too.
    ///
    /// # Panics
    /// If one of them does.
    pub fn run(&self, work: Work<'_>) {
        let Some(crew) = self.crew else { return work(0) };
        let shared = &*crew.shared;
        // SAFETY: no member is at work, and the reference is not used after this function, which waits for all.
        unsafe { *shared.work.get() = Some(std::mem::transmute::<Work<'_>, Work<'static>>(work)) };
        for (mailbox, thread) in shared.mailbox[1..self.members].iter().zip(&crew.threads) {
            if mailbox.0.swap(at::CALL, Ordering::SeqCst) == at::SLEEP {
                thread.thread().unpark();
            }
        }
        shared.work_as(0, work);
        for mailbox in &shared.mailbox[1..self.members] {
            mailbox.withdraw_or_wait();
        }
        if shared.broken.swap(false, Ordering::Relaxed) {
            let panic = shared.panic.lock().unwrap_or_else(PoisonError::into_inner).take();
            resume_unwind(panic.unwrap_or_else(|| Box::new("a member of the team panicked")));
        }
    }

    /// Runs of items for the members, one each; a run's items begin with `first` of its member.
    pub fn claims(&self, first: impl Fn(usize) -> usize) -> Claims<'_> {
        if let Some(crew) = self.crew {
            for member in 0..self.members {
                crew.shared.next[member].0.store(first(member), Ordering::Relaxed);
            }
        }
        Claims { crew: self.crew, members: self.members, first: first(0) }
    }
}

impl Drop for Region<'_> {
    fn drop(&mut self) {
        if let Some(crew) = self.crew {
            crew.shared.taken.store(false, Ordering::Release);
        }
    }
}

/// Items in runs, one run per member, each item for who takes it first.
pub struct Claims<'a> {
    crew: Option<&'a Crew>,
    members: usize,
    /// First item of the first run.
    first: usize,
}

impl Claims<'_> {
    /// Takes the items of the member's own run in their order, then what others have left of theirs. Runs end before the item
    /// that `end` gives for their member.
    pub fn take_all(&self, member: usize, end: impl Fn(usize) -> usize, mut work: impl FnMut(usize, usize)) {
        let Some(crew) = self.crew else { return (self.first..end(0)).for_each(|item| work(0, item)) };
        for turn in 0..self.members {
            let run = (member + turn) % self.members;
            let (next, end) = (&crew.shared.next[run].0, end(run));
            // A look first: who comes to a run that is done need not take its line from others.
            while next.load(Ordering::Relaxed) < end {
                let item = next.fetch_add(1, Ordering::Relaxed);
                if item >= end {
                    break;
                }
                work(run, item);
            }
        }
    }

    /// Takes items that are `ready`, of the member's own run first, each run in its order, until none is left. An item is
    /// ready when others are done, never before those before it in its run are taken.
    pub fn take_ready(
        &self,
        member: usize,
        end: impl Fn(usize) -> usize,
        ready: impl Fn(usize, usize) -> bool,
        mut work: impl FnMut(usize, usize),
    ) {
        let Some(crew) = self.crew else { return (self.first..end(0)).for_each(|item| work(0, item)) };
        let next = |run: usize| &crew.shared.next[run].0;
        let take = |run: usize| {
            let item = next(run).load(Ordering::Relaxed);
            let free = item < end(run) && ready(run, item);
            (free && next(run).compare_exchange(item, item + 1, Ordering::Relaxed, Ordering::Relaxed).is_ok())
                .then_some((run, item))
        };
        let mut wait = Wait::default();
        loop {
            let is_left = |run: usize| next(run).load(Ordering::Relaxed) < end(run);
            // Its own run is in its cache, and what it waits for there is seldom far.
            let others = (1..self.members).map(|turn| (member + turn) % self.members);
            let may_help = !is_left(member) || wait.is_tiring();
            let taken = take(member).or_else(|| others.clone().filter(|_| may_help).find_map(take));
            if let Some((run, item)) = taken {
                work(run, item);
                wait = Wait::default();
            } else if !is_left(member) && !others.clone().any(is_left) || crew.shared.is_broken() {
                return;
            } else {
                wait.look_or_nap();
            }
        }
    }
}

/// Changes what a mailbox says, if it says what is expected.
fn change(mailbox: &AtomicU32, from: u32, to: u32) -> bool {
    mailbox.compare_exchange(from, to, Ordering::SeqCst, Ordering::Relaxed).is_ok()
}

impl Apart<AtomicU32> {
    /// Takes a call back that was not answered, or waits until the work is done.
    fn withdraw_or_wait(&self) {
        let mut wait = Wait::default();
        loop {
            match self.0.load(Ordering::Acquire) {
                at::WORK => wait.look_or_nap(),
                at::CALL if !change(&self.0, at::CALL, at::REST) => {}
                _ => return,
            }
        }
    }
}

impl Shared {
    /// What a thread of the crew does all its life.
    fn serve(&self, member: usize) {
        MEMBER.set(member);
        while self.answer_call(member) {
            // SAFETY: the caller has stored the work before the call and keeps it until all who answered are back.
            if let Some(work) = unsafe { *self.work.get() } {
                self.work_as(member, work);
            }
            self.mailbox[member].0.store(at::REST, Ordering::Release);
        }
    }

    /// Waits for a call and answers it; false when it is time to leave.
    fn answer_call(&self, member: usize) -> bool {
        let mailbox = &self.mailbox[member].0;
        let mut wait = Wait::default();
        while !self.leave.0.load(Ordering::SeqCst) {
            match mailbox.load(Ordering::SeqCst) {
                at::CALL if change(mailbox, at::CALL, at::WORK) => return true,
                at::SLEEP => std::thread::park(),
                at::REST if wait.is_long() => {
                    // From here on, who calls wakes this thread.
                    change(mailbox, at::REST, at::SLEEP);
                    wait = Wait::default();
                }
                _ => {}
            }
        }
        false
    }

    /// Whether somebody has panicked during this call.
    fn is_broken(&self) -> bool {
        self.broken.load(Ordering::Relaxed)
    }

    /// Does a member's part; a panic is kept for the caller.
    fn work_as(&self, member: usize, work: Work<'_>) {
        WORKING.set(true);
        if let Err(panic) = catch_unwind(AssertUnwindSafe(|| work(member))) {
            let mut first = self.panic.lock().unwrap_or_else(PoisonError::into_inner);
            first.get_or_insert(panic);
            self.broken.store(true, Ordering::Relaxed);
        }
        WORKING.set(false);
    }
}
