//! Other clients on the repository's recordings, made of the recorded one: questions asked more often, again, or
//! not at all must pass; an effect left out, doubled, moved or altered must be caught. Symbols only: no server.
#![allow(clippy::unwrap_used, reason = "a test fails by panic")]

use fake_iedriver::wire::Class;
use fastrand::Rng;
use harness::{
    model::{Intent, Model, Run, Schedule, Sent, Tier, client},
    recording::{self, Answer},
    testing,
};

/// Share of questions that are changed, in percent.
const SHARES: [u8; 3] = [10, 30, 60];
/// Clients for each share and recording.
const SEEDS: u64 = 300;

fn each(mut of: impl FnMut(&str, &Model, &[Sent])) {
    for folder in testing::recordings() {
        let name = folder.file_name().unwrap().to_string_lossy().into_owned();
        let recording = recording::read(&folder).unwrap();
        of(&name, &Model::compile(&recording).unwrap(), &client(&recording).unwrap());
    }
}

/// What is wrong with a client; none if every request was answered and no effect is left.
fn trouble(model: &Model, client: &[Sent]) -> Option<String> {
    let mut run = Run::new(model.clone(), Schedule::Demand);
    for sent in client {
        match sent.call {
            Some(call) => run.begin_call(call),
            None => run.close(),
        }
        match run.ask(&sent.request, 0) {
            Err(no_answer) => return Some(format!("{}: {no_answer:?}", sent.request)),
            // As live: a click on a page with an open dialog is an error that the client sees.
            Ok(given)
                if sent.effect && given.tier == Tier::State && matches!(given.answer, Answer::Err(_)) =>
            {
                return Some(format!("{}: the state refuses it", sent.request));
            }
            Ok(_) => {}
        }
    }
    run.close();
    run.left_over().first().map(|(_, place)| format!("never happened: {place}"))
}

/// The questions around a place, as far as neither an effect nor a change of window or frame lies between.
fn near(client: &[Sent], at: usize) -> std::ops::Range<usize> {
    let other = |sent: &Sent| sent.effect || is_cursor(sent);
    let start = client[..at].iter().rposition(other).map_or(0, |n| n + 1);
    let end = client[at..].iter().position(other).map_or(client.len(), |n| at + n);
    start..end
}

fn is_cursor(sent: &Sent) -> bool {
    sent.request.command.class == Class::Cursor
}

#[test]
fn the_recorded_client_passes() {
    each(|name, model, client| assert_eq!(trouble(model, client), None, "{name}"));
}

#[test]
fn random_extra_repeated_and_dropped_questions_pass() {
    for share in SHARES {
        let (mut passed, mut all, mut first) = (0, 0, None);
        each(|name, model, client| {
            for seed in 0..SEEDS {
                let mut random = Rng::with_seed(seed);
                let mut other = Vec::new();
                for (n, sent) in client.iter().enumerate() {
                    if sent.effect || is_cursor(sent) || random.u8(0..100) >= share {
                        other.push(sent.clone());
                        continue;
                    }
                    match random.u8(0..3) {
                        0 => {}
                        1 => other.extend([sent.clone(), sent.clone()]),
                        _ => {
                            let extra = &client[random.usize(near(client, n))];
                            let call = sent.call;
                            other.extend([sent.clone(), Sent { call, ..extra.clone() }]);
                        }
                    }
                }
                all += 1;
                match trouble(model, &other) {
                    None => passed += 1,
                    Some(text) => drop(first.get_or_insert(format!("{name}, seed {seed}: {text}"))),
                }
            }
        });
        println!("{share} % of questions changed: {passed} of {all} clients pass");
        assert!(passed * 100 >= all * 99, "{share} %: {passed} of {all}; first: {first:?}");
    }
}

#[test]
fn every_mutant_of_a_required_effect_is_caught() {
    let (mut caught, mut all, mut free) = (0, 0, 0);
    each(|name, model, client| {
        let figures = model.figures();
        free += figures.optional + figures.commuting;
        for (n, sent) in client.iter().enumerate().filter(|(_, sent)| sent.effect && sent.call.is_some()) {
            for mutant in mutants(model, client, n, sent) {
                all += 1;
                let found = trouble(model, &mutant.client);
                assert!(found.is_some(), "{name}: {} {} is not caught", mutant.kind, sent.request);
                caught += 1;
            }
        }
    });
    println!("{caught} of {all} mutants caught; {free} effects are optional or commute");
    assert_eq!(caught, all);
}

struct Mutant {
    kind: &'static str,
    client: Vec<Sent>,
}

fn mutants(model: &Model, client: &[Sent], n: usize, sent: &Sent) -> Vec<Mutant> {
    let exits: Vec<_> = model.epochs.iter().filter_map(|epoch| epoch.exit.as_ref()).collect();
    let place = client[..n].iter().filter(|sent| sent.effect).count();
    let ends = matches!(Intent::of(&sent.request), Intent::End);
    let with = |change: &dyn Fn(&mut Vec<Sent>)| {
        let mut other = client.to_vec();
        change(&mut other);
        other
    };
    if exits[place].optional {
        return Vec::new();
    }
    let mut all = vec![Mutant { kind: "dropped", client: with(&|other| drop(other.remove(n))) }];
    // Ending twice is nothing, the driver's HTTP layer answers it; here it would be a miss all the same.
    all.push(Mutant { kind: "doubled", client: with(&|other| other.insert(n, sent.clone())) });
    let next =
        client[n + 1..].iter().position(|sent| sent.effect && sent.call.is_some()).map(|at| n + 1 + at);
    let same = next.is_some_and(|next| Intent::of(&client[next].request) == Intent::of(&sent.request));
    if let (Some(next), false, false) = (next, exits[place].commutes_with_next, same) {
        let moved = with(&|other| {
            let effect = other.remove(n);
            other.insert(next, effect);
        });
        all.push(Mutant { kind: "delayed", client: moved });
    }
    if let (false, Some(element)) = (ends, &sent.request.element) {
        let altered = with(&|other| other[n].request.element = Some(format!("{element}9")));
        all.push(Mutant { kind: "altered", client: altered });
    }
    all
}
