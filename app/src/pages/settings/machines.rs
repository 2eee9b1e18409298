//! Other machines, whose agents' files are sent here.

use super::question::question;
use crate::clock::{Clock, moment};
use crate::figures;
use crate::part::{Part, part};
use crate::send::send;
use crate::visible;
use api::contract::RemoveMachine;
use api::machines::{MachineInfo, Machines};
use leptos::prelude::*;

pub fn machines(machines: &Machines, clock: &Clock) -> Part {
    let rows: Vec<_> = machines.machines.iter().map(|machine| row(machine, clock)).collect();
    let is_empty = rows.is_empty();
    let table = (!is_empty).then(|| {
        part! {
            <div class="table-wrap"><table class="table">
                <thead><tr><th scope="col">"Machine"</th><th scope="col">"State"</th><th scope="col" class="hide-narrow">"Sessions"</th>
                    <th><span class="sr">"Actions"</span></th></tr></thead>
                <tbody>{rows}</tbody>
            </table></div>
        }
    });
    let none = is_empty.then(|| part! { <p class="cap none-yet">"No other machines yet."</p> });
    part! {
        <section id="machines" aria-labelledby="machines-heading">
            <div class="pagehead"><h2 id="machines-heading">"Machines"</h2>
                <p>"Other machines that send their agents' sessions here. To add one, run "<code>"verbatim machine add NAME"</code>" on the server, then "<code>"verbatim forward"</code>" there."</p></div>
            {none}{table}
        </section>
    }
}

fn row(machine: &MachineInfo, clock: &Clock) -> Part {
    let name = visible::line(&machine.name);
    let says = [&machine.platform, &machine.version].into_iter().flatten().map(|text| visible::line(text));
    let says = says.collect::<Vec<_>>().join(", ");
    let state = match machine.last_seen_at {
        _ if machine.online => part! { <span class="chip" data-state="done">"Online"</span> },
        Some(at) => part! { "Offline, last heard of "{moment(clock, at, "num")} },
        None => part! { <span class="mut">"Not heard of yet"</span> },
    };
    let remove = send(RemoveMachine, [&machine.id]).confirm("remove-machine").done("Removed").attributes();
    part! {
        <tr><th scope="row"><span class="name" dir="auto">{name.clone()}</span>{(!says.is_empty()).then(|| part! { <br/><span class="mut">{says}</span> })}</th>
            <td>{state}</td>
            <td class="num hide-narrow">{figures::count(machine.sessions)}</td>
            <td class="end"><button type="button" class="btn quiet tiny" {..remove} data-name=name.clone()>"Remove"<span class="sr">{format!(" {name}")}</span></button></td></tr>
    }
}

pub fn remove_dialog() -> Part {
    let says = "Its key is refused from now on. Its sessions stay.";
    question("remove-machine", "Remove ", says, ["Cancel", "Remove"])
}
