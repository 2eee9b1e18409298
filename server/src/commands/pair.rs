//! `verbatim pair`: a link for another device, as a QR code.

use super::print;
use crate::cli::Pair;
use crate::door;
use anyhow::{Context as _, Result};
use api::Nothing;
use api::account::NewPairing;
use qrcode::QrCode;
use qrcode::render::unicode::Dense1x2;

pub async fn run(args: Pair) -> Result<()> {
    let verbatim = door::answering(&args.data).await?;
    let pairing = verbatim.client().create_pairing(Nothing {}, NewPairing { name: args.name }).await?;
    let code = QrCode::new(&pairing.url).context("the link doesn't fit into a QR code")?;
    // Most terminals are dark: what is light in the code is drawn, and what is dark is left.
    let drawn = code.render::<Dense1x2>().dark_color(Dense1x2::Light).light_color(Dense1x2::Dark).build();
    print(&format!(
        "{drawn}\n\nScan it with the camera of the phone, or open {}\nIt works once, for 15 minutes.\n",
        pairing.url
    ))
}
