//! The documentation's tables say what the code does.

use dacapo::classify::provider::Weight;
use dacapo::classify::{Ending, Failure, Link, Raised, classify, provider, status};
use dacapo::clock::WallMs;
use dacapo::headers::Headers;
use dacapo::policy::{Policy, Preset, StatusRule, Value};
use dacapo::{ErrorKind, provider_kind};
use std::collections::{BTreeMap, BTreeSet};

fn page(name: &str) -> String {
    let path = [env!("CARGO_MANIFEST_DIR"), "/", name].concat();
    std::fs::read_to_string(&path).unwrap_or_else(|error| panic!("{path}: {error}"))
}

/// The rows of the only table with this head, as cells; at least one.
fn table(page: &str, head: &[&str]) -> Vec<Vec<String>> {
    let cells =
        |line: &str| -> Vec<String> { line.trim_matches('|').split('|').map(|cell| cell.trim().to_owned()).collect() };
    let heads: Vec<_> =
        page.lines().enumerate().filter(|(_, line)| line.starts_with('|') && cells(line) == head).collect();
    let [(at, _)] = heads[..] else { panic!("{} tables with the head {head:?}", heads.len()) };
    let rows: Vec<_> = page.lines().skip(at + 2).take_while(|line| line.starts_with('|')).map(cells).collect();
    assert!(!rows.is_empty() && rows.iter().all(|row| row.len() == head.len()), "{head:?}");
    rows
}

fn code(cell: &str) -> &str {
    cell.strip_prefix('`').and_then(|cell| cell.strip_suffix('`')).unwrap_or_else(|| panic!("no code: {cell}"))
}

/// The texts in backticks.
fn codes(cell: &str) -> Vec<&str> {
    cell.split('`').skip(1).step_by(2).collect()
}

fn or_dash(text: &str) -> String {
    if text.is_empty() { "—".into() } else { text.into() }
}

#[test]
fn the_table_of_kinds_is_the_codes_own() {
    let head =
        ["kind", "means", "retried", "breaker", "other provider", "raised by", "elelem", "VernLLM `type`", "OneLLM"];
    let rows = table(&page("docs/kinds.md"), &head);
    let yes = |flag| if flag { "yes" } else { "no" };
    let told: Vec<_> = ErrorKind::ALL
        .iter()
        .zip(&rows)
        .map(|(kind, row)| {
            let properties = kind.properties();
            vec![
                format!("`{}`", properties.name),
                row[1].clone(),
                yes(properties.retryable).into(),
                yes(properties.counts_for_breaker).into(),
                yes(properties.may_fall_over).into(),
                properties.raised_by.as_str().into(),
                or_dash(properties.elelem),
                format!("`{}`", properties.vernllm),
                or_dash(properties.onellm),
            ]
        })
        .collect();
    assert_eq!(rows, told);
    assert_eq!(rows.len(), ErrorKind::ALL.len());
    assert!(rows.iter().all(|row| !row[1].is_empty()), "every kind says what it means");
}

/// A value as the table of options writes it: a literal of JavaScript, long rows of statuses as `500…599`.
fn written(value: &Value) -> String {
    match value {
        Value::Flag(flag) => flag.to_string(),
        Value::Number(number) => number.to_string(),
        Value::Text(text) => format!("'{text}'"),
        Value::List(items) => format!("[{}]", written_list(items)),
        Value::Record(members) => {
            let members: Vec<_> = members.iter().map(|(name, value)| format!("{name}: {}", written(value))).collect();
            format!("{{ {} }}", members.join(", "))
        }
        Value::Undefined | Value::Function | Value::Other => panic!("{value:?} is never in force"),
    }
}

fn written_list(items: &[Value]) -> String {
    const SHORTEST_RUN: usize = 10;
    let follows = |a: &Value, b: &Value| matches!((a, b), (Value::Number(a), Value::Number(b)) if *b == a + 1.0);
    let runs = items.chunk_by(follows).map(|run| match run {
        [first, .., last] if run.len() >= SHORTEST_RUN => format!("{}…{}", written(first), written(last)),
        _ => run.iter().map(written).collect::<Vec<_>>().join(", "),
    });
    runs.collect::<Vec<_>>().join(", ")
}

#[test]
fn the_table_of_options_has_the_values_of_every_preset_and_marks_what_differs() {
    let rows = table(&page("docs/options.md"), &["option", "default", "elelem", "vernllm", "onellm", "aws"]);
    let told: BTreeMap<_, _> = rows.iter().map(|row| (code(&row[0]), &row[1..])).collect();
    assert_eq!(told.len(), rows.len(), "no option has two rows");

    let presets = [Preset::Default, Preset::Elelem, Preset::VernLlm, Preset::OneLlm, Preset::Aws];
    let in_force = presets.map(|preset| preset.policy().resolved().into_iter().collect::<Vec<_>>());
    let names: BTreeSet<_> = in_force.iter().flatten().map(|(name, _)| *name).collect();
    assert_eq!(told.keys().copied().collect::<BTreeSet<_>>(), names);

    for name in names {
        let values = in_force.each_ref().map(|options| {
            let value = options.iter().find(|(known, _)| *known == name);
            value.map_or("—".to_owned(), |(_, value)| format!("`{}`", written(value)))
        });
        let expected = values.each_ref().map(|value| match *value == values[0] {
            true => value.clone(),
            false if value == "—" => "**—**".to_owned(),
            false => format!("**{value}**"),
        });
        assert_eq!(told[name], expected, "{name}");
    }
}

#[test]
fn the_table_of_members_has_every_member_and_its_default() {
    let on = |name: &str| (name.to_owned(), Value::Flag(true));
    let policy = Policy::read(&[on("breaker"), on("budget")]).expect("both may be true");
    let mut in_force = Vec::new();
    for (option, value) in policy.resolved() {
        if let ("breaker" | "budget", Value::Record(members)) = (option, value) {
            in_force.extend(
                members.iter().map(|(name, value)| [format!("`{option}.{name}`"), format!("`{}`", written(value))]),
            );
        }
    }
    assert_eq!(in_force.len(), 20);
    let rows = table(&page("docs/options.md"), &["option", "default", "means"]);
    let told: Vec<_> = rows.iter().map(|row| [row[0].clone(), row[1].clone()]).collect();
    assert_eq!(told, in_force);
}

#[test]
fn the_statuses_that_are_retried_by_default_are_listed() {
    let page = page("docs/options.md");
    let (_, after) = page.split_once("- `retryStatus`: ").expect("an entry of retryStatus");
    let entry = after.split("\n- ").next().unwrap_or_default().split_whitespace().collect::<Vec<_>>().join(" ");
    let retried = |status: &u16| StatusRule::Default.retries(*status);
    let list = |statuses: Vec<u16>| {
        let texts: Vec<_> = statuses.iter().map(u16::to_string).collect();
        let (last, others) = texts.split_last().expect("some statuses");
        (format!("{}, {last}", others.join(", ")), format!("{} and {last}", others.join(", ")))
    };
    let (below, _) = list((400..500).filter(retried).collect());
    let (_, except) = list((500..600).filter(|status| !retried(status)).collect());
    assert!(entry.ends_with(&format!("`'default'`: {below} and 5xx except {except}.")), "{entry}");
}

#[test]
fn the_table_of_statuses_gives_each_status_its_kind() {
    let rows = table(&page("docs/kinds.md"), &["status", "kind"]);
    let mut listed = BTreeMap::new();
    let mut special = BTreeMap::new();
    for row in &rows {
        let statuses: Result<Vec<u16>, _> = row[0].split(", ").map(str::parse).collect();
        match statuses {
            Ok(statuses) => listed.extend(statuses.into_iter().map(|status| (status, code(&row[1])))),
            Err(_) => assert_eq!(special.insert(row[0].as_str(), code(&row[1])), None),
        }
    }
    for status in 400..600 {
        let other = if status < 500 { "other 4xx" } else { "other 5xx" };
        let told = listed.get(&status).unwrap_or(&special[other]);
        assert_eq!(status::kind(status, false).as_str(), *told, "{status}");
    }
    let located = special["another 3xx with `Location`, or an opaque redirect"];
    for status in 300..400 {
        assert_eq!(status::kind(status, true).as_str(), located);
        let told = listed.get(&status).unwrap_or(&special["anything else"]);
        assert_eq!(status::kind(status, false).as_str(), *told, "{status}");
    }
    let opaque = Failure { opaque_redirect: true, ..Failure::default() };
    assert_eq!(classify(&opaque, &Policy::default(), WallMs(0)).kind.as_str(), located);
    assert_eq!(special.len(), 4);
}

#[test]
fn the_statuses_of_provider_kind_are_listed() {
    let page = page("docs/kinds.md").split_whitespace().collect::<Vec<_>>().join(" ");
    let found = (100..600).filter_map(|status| Some((status, provider_kind(Some(status), None)?)));
    let texts: Vec<_> = found.map(|(status, kind)| format!("{status} `{}`", kind.as_str())).collect();
    assert_eq!(texts.len(), 4);
    for text in texts {
        assert!(page.contains(&text), "{text}");
    }
}

#[test]
fn the_table_of_codes_has_every_code_of_everybodys() {
    let page = page("docs/kinds.md");
    let mut told = BTreeSet::new();
    for row in table(&page, &["kind", "names a", "codes"]) {
        for name in codes(&row[2]) {
            told.insert((name.to_owned(), code(&row[0]).to_owned(), row[1].clone()));
        }
    }
    let known = provider::all_codes().filter(|(_, own, _, meaning)| !own && meaning.weight != Weight::Anything);
    let weight = |weight| if weight == Weight::Cause { "cause" } else { "class" };
    let known: BTreeSet<_> = known
        .map(|(_, _, name, meaning)| {
            (name.to_owned(), meaning.kind.as_str().to_owned(), weight(meaning.weight).to_owned())
        })
        .collect();
    assert_eq!(told, known);
    for (name, kind, _) in &known {
        assert_eq!(provider::kind_of_code(name).map(ErrorKind::as_str), Some(&**kind), "{name}");
    }
    assert_eq!(provider::kind_of_code("invalid_request_error"), None);
}

#[test]
fn the_places_of_a_code_are_listed_in_the_order_they_are_asked() {
    let page = page("docs/kinds.md").split_whitespace().collect::<Vec<_>>().join(" ");
    let (_, after) = page.split_once("The most specific place comes first: ").expect("the list of places");
    let places = codes(after.split(". ").next().unwrap_or_default());
    assert_eq!(places.len(), 9);
    for i in 0..places.len() {
        let mut body = serde_json::Value::Null;
        for place in &places[i..] {
            let end = place.split('.').fold(&mut body, |inner, key| &mut inner[key]);
            *end = (*place).into();
        }
        assert_eq!(provider::BodyFacts::read(&body.to_string()).codes, places[i..], "{body}");
    }
}

#[test]
fn the_table_of_rules_has_every_rule_and_what_it_decides() {
    let policy = Policy { retry_unknown: false, ..Policy::default() };
    let response = |status, headers, body| Failure {
        status: Some(status),
        headers: Headers::new(headers),
        body,
        ..Failure::default()
    };
    let ended = |ending| Failure { ending, ..Failure::default() };
    let reset = [Link { code: "ECONNRESET".into(), ..Link::default() }];
    let raised = Some(Raised { kind: ErrorKind::Overloaded, retryable: None });
    let failures = [
        (ended(Ending::Cancelled), "cancelled, never retried"),
        (ended(Ending::TimedOut), "timeout, retried"),
        (ended(Ending::DeadlinePassed), "deadline_exceeded, not retried"),
        (ended(Ending::Malformed), "malformed_response, retried"),
        (Failure { raised, ..Failure::default() }, ""),
        (response(503, "x-should-retry\nfalse", ""), ""),
        (response(503, "", r#"{"error":{"code":"insufficient_quota"}}"#), ""),
        (response(400, "x-should-retry\ntrue", ""), ""),
        (response(200, "", r#"{"error":{"message":"m"}}"#), "server_error, retried"),
        (response(503, "", ""), ""),
        (Failure { ending: Ending::Error, links: &reset, ..Failure::default() }, ""),
        (ended(Ending::Error), "unknown, retried by retryUnknown"),
    ];
    let rows = table(&page("docs/kinds.md"), &["rule", "decides when", "result"]);
    let told: Vec<_> = rows.iter().map(|row| code(&row[0])).collect();
    let decided = failures.each_ref().map(|(failure, _)| classify(failure, &policy, WallMs(0)).rule);
    assert_eq!(told, decided, "the rules, in the order in which they are asked");

    for ((failure, result), row) in failures.iter().zip(&rows).filter(|((_, result), _)| !result.is_empty()) {
        let verdict = classify(failure, &policy, WallMs(0));
        assert_eq!(row[2].replace('`', ""), *result);
        assert!(result.starts_with(verdict.kind.as_str()), "{result}");
        assert_eq!(verdict.retryable, result.ends_with(", retried"), "{result}");
    }
}

/// The Rust of the README, as it stands there.
mod readme {
    #[test]
    #[rustfmt::skip]
    fn the_rust_of_the_readme_runs() -> Result<(), dacapo::ConfigFaults> {
        // README.md from here
        use dacapo::Policy;
        use dacapo::call::{Call, Command, Event, Observed, Outcome};
        use dacapo::clock::Now;

        let policy = Policy { max_attempts: 5, ..Policy::default() }.checked()?;
        let mut call = Call::new(policy.into(), Now::default());
        assert!(matches!(call.start(), Command::Send { attempt: 1, .. }));

        let answer = Observed { status: Some(503), ..Observed::default() };
        let ended = Event::Ended { started: Now::default(), outcome: Outcome::Failed(Box::new(answer)) };
        let Command::Wait { delay, .. } = call.step(ended, Now::default(), &mut || 0.5) else { panic!("a 503 is retried") };
        assert_eq!(delay.get(), 375);
        // to here
        Ok(())
    }
}

#[test]
fn the_rust_that_runs_is_the_readmes() {
    let between = |text: &str, start: &str, end: &str| -> Vec<String> {
        let (_, after) = text.split_once(start).unwrap_or_else(|| panic!("no {start}"));
        let (block, _) = after.split_once(end).unwrap_or_else(|| panic!("no {end}"));
        block.trim().lines().map(|line| line.trim().to_owned()).collect()
    };
    let readme = page("README.md");
    assert_eq!(readme.matches("```rust").count(), 1);
    let ran = between(&page("tests/docs.rs"), "// README.md from here\n", "// to here\n");
    assert_eq!(between(&readme, "```rust\n", "```"), ran);
}
