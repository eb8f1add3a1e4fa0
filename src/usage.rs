//! What a call cost, in tokens, from whatever object a provider or a client tells it with.
//!
//! Names are compared without case, `_` and `-`: the APIs write `prompt_tokens` where their
//! clients write `promptTokens`. Only known places are read, since an answer may quote a
//! usage object of its own, in the arguments of a tool call for one.

use crate::classify::json::{self, Scalar};

/// More tokens than this are this many: the largest whole number that a double holds exactly.
pub const MAX_TOKENS: u64 = (1 << 53) - 1;

/// Tokens as one provider call reported them; `None` is not reported.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Usage {
    /// The request's, those read from and written to a cache included.
    pub prompt: Option<u64>,
    /// The answer's, reasoning included.
    pub completion: Option<u64>,
    /// As the provider adds them up; prompt and completion where it does not.
    pub total: Option<u64>,
    /// The part of `completion` that was reasoning.
    pub reasoning: Option<u64>,
    /// The part of `prompt` that was read from a cache.
    pub cache_read: Option<u64>,
    /// The part of `prompt` that was written to a cache.
    pub cache_write: Option<u64>,
}

impl Usage {
    /// Reads the usage that a JSON text tells; `None` where it tells none.
    ///
    /// The text may be cut short. Where it has several usage objects, as the collected
    /// events of a stream have, the last one wins for each number: such streams count up.
    pub fn read(text: &str) -> Option<Usage> {
        let mut reader = UsageReader::default();
        json::walk(text, &mut |keys, scalar| reader.visit(keys, &scalar));
        reader.usage()
    }
}

/// `a + b`, of which the larger can be no more than [`MAX_TOKENS`].
pub fn plus(a: u64, b: u64) -> u64 {
    a.saturating_add(b).min(MAX_TOKENS)
}

/// What a number of a usage object counts.
#[derive(Clone, Copy)]
enum Slot {
    /// The whole prompt.
    Prompt,
    /// The prompt, without what the `…Beside` slots count.
    Input,
    /// Beside the prompt: what the results of tools added to it.
    ToolPrompt,
    /// The whole answer.
    Completion,
    /// The same: gateways send zero under this name and the number under the other.
    Output,
    /// The answer without its thoughts.
    Candidates,
    Thoughts,
    Total,
    Reasoning,
    CacheRead,
    CacheReadBeside,
    CacheWrite,
    CacheWriteBeside,
    /// What is charged for, where the provider charges for less than it counts.
    BilledInput,
    BilledOutput,
}

use Slot::*;

const SLOTS: usize = BilledOutput as usize + 1;

type Names = &'static [(&'static str, Slot)];

/// The members that hold a usage object.
const OBJECTS: &[&str] = &["usage", "usagemetadata", "tokenusage", "meta", "amazonbedrockinvocationmetrics"];

/// What such a member may be in: an event, a client's wrapping, a gateway's envelope.
const WRAPPERS: &[&str] = &[
    "response",
    "message",
    "delta",
    "xgroq",
    "result",
    "error",
    "data",
    "body",
    "metadata",
    "responsemetadata",
    "llmoutput",
];

/// The numbers of a usage object.
const NUMBERS: Names = &[
    ("prompttokens", Prompt),
    ("completiontokens", Completion),
    ("totaltokens", Total),
    ("inputtokens", Input),
    ("outputtokens", Output),
    ("reasoningtokens", Reasoning),
    ("cachedtokens", CacheRead),
    ("numcachedtokens", CacheRead),
    ("cachedinputtokens", CacheRead),
    ("prompttokencount", Prompt),
    ("tooluseprompttokencount", ToolPrompt),
    ("candidatestokencount", Candidates),
    ("responsetokencount", Candidates),
    ("thoughtstokencount", Thoughts),
    ("cachedcontenttokencount", CacheRead),
    ("totaltokencount", Total),
    ("cachereadinputtokens", CacheReadBeside),
    ("cachecreationinputtokens", CacheWriteBeside),
    ("cachewriteinputtokens", CacheWriteBeside),
    ("inputtokencount", Input),
    ("outputtokencount", Output),
    ("cachereadinputtokencount", CacheReadBeside),
    ("cachewriteinputtokencount", CacheWriteBeside),
    ("promptcachehittokens", CacheRead),
    ("prompt", Prompt),
    ("completion", Completion),
    ("total", Total),
    ("reasoning", Reasoning),
    ("cacheread", CacheRead),
    ("cachewrite", CacheWrite),
];

/// The numbers of an object in a usage object that says what its tokens were.
const PROMPT_DETAILS: Names = &[
    ("cachedtokens", CacheRead),
    ("cacheread", CacheRead),
    ("cachereadtokens", CacheRead),
    ("cachewrite", CacheWrite),
    ("cachewritetokens", CacheWrite),
    ("cachecreation", CacheWrite),
    ("cachecreationtokens", CacheWrite),
    ("total", Prompt),
];
const COMPLETION_DETAILS: Names = &[("reasoning", Reasoning), ("reasoningtokens", Reasoning), ("total", Completion)];

/// The objects in a usage object, with the numbers that are read of them.
const PARTS: &[(&str, Names)] = &[
    ("prompttokensdetails", PROMPT_DETAILS),
    ("inputtokensdetails", PROMPT_DETAILS),
    ("inputtokendetails", PROMPT_DETAILS),
    ("inputtokens", PROMPT_DETAILS),
    ("completiontokensdetails", COMPLETION_DETAILS),
    ("outputtokensdetails", COMPLETION_DETAILS),
    ("outputtokendetails", COMPLETION_DETAILS),
    ("outputtokens", COMPLETION_DETAILS),
    ("tokens", &[("inputtokens", Input), ("outputtokens", Output)]),
    ("billedunits", &[("inputtokens", BilledInput), ("outputtokens", BilledOutput)]),
];

/// The numbers of answers that count their tokens without a usage object.
const BARE: Names = &[
    ("promptevalcount", Prompt),
    ("evalcount", Completion),
    ("prompttokencount", Prompt),
    ("generationtokencount", Completion),
    ("inputtexttokencount", Prompt),
    ("totaloutputtexttokencount", Completion),
];
const BARE_IN_DETAILS: Names = &[("inputlength", Prompt), ("generatedtokens", Completion)];
const BARE_IN_RESULTS: Names = &[("tokencount", Completion)];

/// Collects usage from a walk over JSON, or from several: one for each event of a stream.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct UsageReader([Option<u64>; SLOTS]);

impl UsageReader {
    /// Takes a scalar with the keys above it, as [`json::walk`] reports them.
    pub fn visit(&mut self, keys: &[&str], scalar: &Scalar<'_>) {
        let Scalar::Number(number) = scalar else { return };
        let Some(slot) = slot_at(keys) else { return };
        if let (Some(place), Some(count)) = (self.0.get_mut(slot as usize), count(number)) {
            *place = Some(count);
        }
    }

    /// What was told so far; `None` when that is nothing.
    pub fn usage(&self) -> Option<Usage> {
        if self.0.iter().all(Option::is_none) {
            return None;
        }
        let input = self.sum(&[Input, CacheReadBeside, CacheWriteBeside]);
        let prompt = self.at(Prompt).or(input).or(self.at(BilledInput));
        let prompt = sum(&[prompt, self.at(ToolPrompt)]);
        let thought = self.sum(&[Candidates, Thoughts]);
        let completion = self.at(Completion).or(self.at(Output)).or(thought).or(self.at(BilledOutput));
        let reasoning = self.at(Reasoning).or(self.at(Thoughts));
        let told = self.at(Total);
        // xAI counts reasoning beside the completion; only its total shows that.
        let with_reasoning = sum(&[completion, reasoning]);
        let completion =
            if told.is_some() && told == sum(&[prompt, with_reasoning]) { with_reasoning } else { completion };
        Some(Usage {
            prompt,
            completion,
            total: told.or(sum(&[prompt, completion])),
            reasoning,
            cache_read: self.at(CacheRead).or(self.at(CacheReadBeside)),
            cache_write: self.at(CacheWrite).or(self.at(CacheWriteBeside)),
        })
    }

    fn at(&self, slot: Slot) -> Option<u64> {
        self.0.get(slot as usize).copied().flatten()
    }

    fn sum(&self, slots: &[Slot]) -> Option<u64> {
        slots.iter().map(|slot| self.at(*slot)).reduce(|a, b| sum(&[a, b])).flatten()
    }
}

/// The sum of what is known; `None` when nothing is.
fn sum(counts: &[Option<u64>]) -> Option<u64> {
    counts.iter().copied().flatten().reduce(plus)
}

/// A number as a count of tokens. A negative one, or one with a fraction, counts nothing.
fn count(number: &str) -> Option<u64> {
    let digits = number.strip_suffix(".0").unwrap_or(number);
    digits.bytes().try_fold(0u64, |count, byte| {
        let digit = byte.checked_sub(b'0').filter(|digit| *digit < 10)?;
        Some(plus(count.saturating_mul(10), digit.into()))
    })
}

fn slot_at(keys: &[&str]) -> Option<Slot> {
    let keys = match keys {
        // Embeddings and log probabilities: lists of thousands of numbers.
        [.., "[]"] => return None,
        ["[]", inner @ ..] => inner,
        keys => keys,
    };
    let is_one_of = |key: &str, names: &[&str]| names.iter().any(|name| is(key, name));
    let inside = match keys {
        [object, inside @ ..] if is_one_of(object, OBJECTS) => inside,
        [wrapper, object, inside @ ..] if is_one_of(wrapper, WRAPPERS) && is_one_of(object, OBJECTS) => inside,
        [name] => return named(BARE, name),
        ["details", name] => return named(BARE_IN_DETAILS, name),
        ["results", "[]", name] => return named(BARE_IN_RESULTS, name),
        _ => return None,
    };
    match inside {
        [name] => named(NUMBERS, name),
        [part, name] => PARTS.iter().find(|(known, _)| is(part, known)).and_then(|(_, names)| named(names, name)),
        _ => None,
    }
}

fn named(names: &[(&str, Slot)], key: &str) -> Option<Slot> {
    names.iter().find(|(name, _)| is(key, name)).map(|(_, slot)| *slot)
}

/// Whether a key is this name, which is written in lower case and without `_` and `-`.
fn is(key: &str, name: &str) -> bool {
    // Most keys are told apart by their first letter.
    let initial = |text: &str| text.bytes().next().map(|byte| byte | 0x20);
    let letters = || key.bytes().filter(|byte| !matches!(byte, b'_' | b'-')).map(|byte| byte.to_ascii_lowercase());
    initial(key) == initial(name) && letters().eq(name.bytes())
}
