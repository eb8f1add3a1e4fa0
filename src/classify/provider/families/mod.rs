//! The catalogue: one file for each provider family, all of it data.

mod anthropic;
mod azure;
mod bedrock;
mod cerebras;
mod cloudflare;
mod cohere;
mod dashscope;
mod deepseek;
mod finish;
mod fireworks;
mod generic;
mod github;
mod google;
mod groq;
mod huggingface;
mod litellm;
mod minimax;
mod mistral;
mod moonshot;
mod ollama;
mod openai;
mod openrouter;
mod perplexity;
mod together;
mod vllm;
mod xai;
mod zhipu;

/// What is known of a provider, or of several that speak alike.
pub struct Family {
    /// The name in verdicts.
    pub name: &'static str,
    /// Parts of the names that callers give it, in lower case.
    pub aliases: &'static str,
    /// How the names of header fields begin that nobody else sends: the first part, or the first
    /// two where that is `x`.
    pub headers: &'static str,
    /// Members that only its bodies have, by the keys above them. Before the keys: `#` if it is
    /// four digits, `^` if it is a name in capitals, `@` if it is an id that begins with `req_`,
    /// `&` if it has a namespace.
    pub shapes: &'static str,
    /// Lines of a kind and its codes, which mean the same wherever they are sent; the spelling
    /// (case, `_`, `-`, blanks) does not matter. Before the kind: `?` is a class of failures
    /// rather than one cause, so that wordings which name a cause come first; `~` is put on
    /// everything, and has an opinion only inside a 200. After it: `+` or `-` where it is
    /// retried, or not, against the kind's row.
    pub codes: &'static str,
    /// The same for codes that mean something else, or nothing, at other providers. A status
    /// is one too.
    pub own: &'static str,
}

/// All families. Of two whose headers are in one response the earlier counts: GitHub's models
/// run at Azure, and Azure answers with OpenAI's headers as well.
pub const FAMILIES: &[Family] = &[
    anthropic::ANTHROPIC,
    github::GITHUB,
    azure::AZURE,
    openrouter::OPENROUTER,
    google::GOOGLE,
    bedrock::BEDROCK,
    cloudflare::CLOUDFLARE,
    mistral::MISTRAL,
    cohere::COHERE,
    groq::GROQ,
    deepseek::DEEPSEEK,
    xai::XAI,
    together::TOGETHER,
    fireworks::FIREWORKS,
    perplexity::PERPLEXITY,
    ollama::OLLAMA,
    vllm::VLLM,
    huggingface::HUGGINGFACE,
    litellm::LITELLM,
    moonshot::MOONSHOT,
    cerebras::CEREBRAS,
    dashscope::DASHSCOPE,
    minimax::MINIMAX,
    zhipu::ZHIPU,
    openai::OPENAI,
    generic::GENERIC,
    finish::FINISH,
];
