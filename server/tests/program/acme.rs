//! A certificate that the server fetches itself, from Pebble: the test server of those who made ACME.

use crate::support::{Place, Server, wait_until};
use rcgen::{CertifiedKey, generate_simple_self_signed};
use rustls::client::danger::{HandshakeSignatureValid, ServerCertVerified, ServerCertVerifier};
use rustls::client::verify_server_name;
use rustls::pki_types::{CertificateDer, ServerName, UnixTime};
use rustls::server::ParsedCertificate;
use rustls::{ClientConfig, ClientConnection, DigitallySignedStruct, SignatureScheme, StreamOwned};
use std::collections::BTreeSet;
use std::io::Write as _;
use std::net::{TcpListener, TcpStream};
use std::process::{Child, Command, Stdio};
use std::sync::atomic::{AtomicU16, Ordering};
use std::sync::{Arc, Mutex};

const NAME: &str = "agents.example.org";
/// How long Pebble's certificates are valid, in seconds: the server renews them when a third is left.
const VALID: u64 = 12;

/// Pebble, and a name server that has all names on this machine.
struct Authority {
    running: [Child; 2],
    directory: String,
    /// Where Pebble asks.
    asked: Asked,
}

impl Drop for Authority {
    fn drop(&mut self) {
        for child in &mut self.running {
            let _ = child.kill();
            let _ = child.wait();
        }
    }
}

/// A port that leads to that of the server, which is known later.
struct Asked {
    port: u16,
    leads_to: Arc<AtomicU16>,
}

impl Asked {
    fn new() -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let (port, leads_to) = (listener.local_addr().unwrap().port(), Arc::new(AtomicU16::new(0)));
        let known = Arc::clone(&leads_to);
        std::thread::spawn(move || {
            for from in listener.incoming() {
                let Ok(from) = from else { return };
                let Ok(to) = TcpStream::connect(("127.0.0.1", known.load(Ordering::Relaxed))) else { continue };
                for (mut one, mut other) in [(from.try_clone().unwrap(), to.try_clone().unwrap()), (to, from)] {
                    std::thread::spawn(move || {
                        let _ = std::io::copy(&mut one, &mut other);
                        let _ = other.shutdown(std::net::Shutdown::Write);
                    });
                }
            }
        });
        Self { port, leads_to }
    }
}

fn free_port() -> u16 {
    TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port()
}

impl Authority {
    fn start(place: &Place) -> Self {
        let CertifiedKey { cert, signing_key } = generate_simple_self_signed(["localhost".to_owned()]).unwrap();
        let (certificate, key) =
            (place.write("pebble.pem", cert.pem()), place.write("pebble-key.pem", signing_key.serialize_pem()));
        let (names, port, asked) = (free_port(), free_port(), Asked::new());
        let config = serde_json::json!({"pebble": {
            "listenAddress": format!("127.0.0.1:{port}"), "managementListenAddress": "127.0.0.1:0",
            "certificate": certificate, "privateKey": key, "httpPort": asked.port, "tlsPort": asked.port,
            "certificateValidityPeriod": VALID,
        }});
        let config = place.write("pebble.json", config.to_string());
        let start = |program: &str, arguments: &[&str]| {
            let mut command = Command::new(program);
            command.args(arguments).env("PEBBLE_VA_NOSLEEP", "1").stdout(Stdio::null()).stderr(Stdio::null());
            command.spawn().unwrap_or_else(|error| panic!("{program}: {error}; install Debian's package `pebble`"))
        };
        let name_server = format!("127.0.0.1:{names}");
        let off = ["-http01", "", "-https01", "", "-tlsalpn01", "", "-management", "127.0.0.1:0"];
        let named = start("pebble-challtestsrv", &[&["-dns01", &*name_server, "-defaultIPv6", ""], &off[..]].concat());
        let pebble = start("pebble", &["-config", config.to_str().unwrap(), "-dnsserver", &name_server]);
        wait_until("Pebble answers", || TcpStream::connect(("127.0.0.1", port)).is_ok());
        Self { running: [named, pebble], directory: format!("https://localhost:{port}/dir"), asked }
    }

    /// A server that is told to fetch its certificate here. It logs to the file `log`.
    fn serve(&self, place: Place) -> Server {
        let url = format!("https://{NAME}");
        let public = [
            "--public-url",
            &url,
            "--tls-acme",
            "--acme-directory",
            &self.directory,
            "--acme-email",
            "ada@example.org",
        ];
        let mut command =
            place.program(&[&["serve", "--listen", "127.0.0.1:0", "--no-discover"], &public[..]].concat());
        command.env("SSL_CERT_FILE", place.path("pebble.pem")).env("RUST_LOG", "warn");
        let log = std::fs::File::create(place.path("log")).unwrap();
        command.stderr(log);
        Server::spawn(place, command)
    }
}

/// Takes any certificate, and keeps it.
#[derive(Debug, Default)]
struct Seen(Mutex<Vec<u8>>);

impl ServerCertVerifier for Seen {
    fn verify_server_cert(
        &self,
        certificate: &CertificateDer<'_>,
        _: &[CertificateDer<'_>],
        name: &ServerName<'_>,
        _: &[u8],
        _: UnixTime,
    ) -> Result<ServerCertVerified, rustls::Error> {
        verify_server_name(&ParsedCertificate::try_from(certificate)?, name)?;
        *self.0.lock().unwrap() = certificate.to_vec();
        Ok(ServerCertVerified::assertion())
    }

    fn verify_tls12_signature(
        &self,
        _: &[u8],
        _: &CertificateDer<'_>,
        _: &DigitallySignedStruct,
    ) -> Result<HandshakeSignatureValid, rustls::Error> {
        Ok(HandshakeSignatureValid::assertion())
    }

    fn verify_tls13_signature(
        &self,
        _: &[u8],
        _: &CertificateDer<'_>,
        _: &DigitallySignedStruct,
    ) -> Result<HandshakeSignatureValid, rustls::Error> {
        Ok(HandshakeSignatureValid::assertion())
    }

    fn supported_verify_schemes(&self) -> Vec<SignatureScheme> {
        vec![SignatureScheme::ECDSA_NISTP256_SHA256]
    }
}

/// The certificate that the server has for its name, if it has one.
fn certificate(server: &Server) -> Option<Vec<u8>> {
    let seen = Arc::new(Seen::default());
    let provider = Arc::new(rustls::crypto::ring::default_provider());
    let builder = ClientConfig::builder_with_provider(provider).with_safe_default_protocol_versions().unwrap();
    let config = builder.dangerous().with_custom_certificate_verifier(Arc::clone(&seen) as _).with_no_client_auth();
    let client = ClientConnection::new(Arc::new(config), NAME.try_into().unwrap()).unwrap();
    let mut stream = StreamOwned::new(client, server.connect());
    stream.write_all(b"GET /healthz HTTP/1.1\r\n\r\n").ok()?;
    let seen = seen.0.lock().unwrap().clone();
    Some(seen)
}

#[test]
fn a_certificate_is_fetched_renewed_and_kept() {
    let place = Place::new();
    let authority = Authority::start(&place);
    let mut server = authority.serve(place);
    authority.asked.leads_to.store(server.port, Ordering::Relaxed);
    wait_until("there is a certificate", || certificate(&server).is_some());
    let first = certificate(&server).unwrap();
    // Commands of this machine need none.
    assert_eq!(server.get("/healthz", &[]).status, 200);
    wait_until("it is renewed", || certificate(&server).is_some_and(|now| now != first));
    let folder = server
        .place
        .data()
        .join("tls")
        .join(authority.directory.replace("https://localhost:", "localhost_").replace("/dir", ""));
    let files = || {
        let names = std::fs::read_dir(&folder).unwrap().map(|file| file.unwrap().file_name().into_string().unwrap());
        names.collect::<BTreeSet<_>>()
    };
    assert_eq!(
        files(),
        ["account.json", "agents.example.org-key.pem", "agents.example.org.pem"].map(str::to_owned).into()
    );
    // The next start has it at once, without the authority.
    server.kill();
    authority.asked.leads_to.store(0, Ordering::Relaxed);
    let place = std::mem::replace(&mut server.place, Place::new());
    assert!(certificate(&authority.serve(place)).is_some());
}

#[test]
fn an_authority_that_does_not_reach_the_server_is_told_of() {
    let place = Place::new();
    let authority = Authority::start(&place);
    let server = authority.serve(place);
    let log = || std::fs::read_to_string(server.place.path("log")).unwrap();
    wait_until("it is logged", || log().contains("the authority couldn't reach this server by its name at port 443"));
    assert_eq!((certificate(&server), server.get("/healthz", &[]).status), (None, 200));
}

#[test]
fn options_that_lack_another_one_are_refused() {
    let place = Place::new();
    assert_eq!(
        place.seen(&["serve", "--tls-acme"]),
        "$ verbatim serve --tls-acme\nexit 1\nerr: verbatim: `--tls-acme` needs the address that people type, since the server refuses all others\n\
         err: Add `--public-url https://NAME`\n"
    );
}
