//! A window of another process, driven from outside: what it shows by names, clicks, pictures.
//!
//! Only builds with the feature `inspection` can be driven, and only where the environment has `EGUI_INSPECTION=HOST:PORT`:
//! nobody is asked for a password there.

use std::io;
use std::net::TcpStream;
use std::time::Duration;

use egui::accesskit::{Node, Rect};
use egui::{Event, Modifiers, PointerButton, pos2};
use egui_inspection::protocol::read_handshake;
use egui_inspection::{PROTOCOL_VERSION, Request, Response, read_message, write_message};

/// Longest time that a window may take to answer.
const PATIENCE: Duration = Duration::from_secs(60);

/// A window of another process.
pub struct Remote {
    stream: TcpStream,
}

impl Remote {
    /// Connects to a window that listens at an address.
    ///
    /// # Errors
    /// Where nobody listens yet, or somebody else does.
    pub fn connect(address: &str) -> io::Result<Self> {
        let stream = TcpStream::connect(address)?;
        stream.set_read_timeout(Some(PATIENCE))?;
        let version = read_handshake(&stream)?;
        if version != PROTOCOL_VERSION {
            return Err(io::Error::other(format!("protocol {version} instead of {PROTOCOL_VERSION}")));
        }
        Ok(Self { stream })
    }

    /// The names of all that it shows.
    ///
    /// # Errors
    /// Where the window does not answer.
    pub fn labels(&self) -> io::Result<Vec<String>> {
        Ok(self.nodes()?.iter().filter_map(|node| node.label().map(String::from)).collect())
    }

    /// Clicks on what has a name; returns once the window has taken it.
    ///
    /// # Errors
    /// Where nothing has the name, or the window does not answer.
    pub fn click(&self, label: &str) -> io::Result<()> {
        let nodes = self.nodes()?;
        let place = nodes.iter().find(|node| node.label() == Some(label)).and_then(Node::bounds);
        let Rect { x0, y0, x1, y1 } =
            place.ok_or_else(|| io::Error::other(format!("the window shows nothing named {label}")))?;
        let pos = pos2(0.5 * (x0 + x1) as f32, 0.5 * (y0 + y1) as f32);
        let (button, modifiers) = (PointerButton::Primary, Modifiers::NONE);
        self.apply(vec![Event::PointerMoved(pos)])?;
        // Within one frame: on a slow machine the next may come so late that it is no click any more.
        let button = |pressed: bool| Event::PointerButton { pos, button, pressed, modifiers };
        self.apply(vec![button(true), button(false)])
    }

    /// A picture of the whole window as PNG, and its size \[pixels\].
    ///
    /// # Errors
    /// Where the window does not answer or cannot be drawn.
    pub fn screenshot(&self) -> io::Result<([u32; 2], Vec<u8>)> {
        match self.ask(&Request::GetScreenshot { pixels_per_point: None })? {
            Response::Screenshot(png) => Ok((png.size, png.bytes)),
            other => Err(unexpected(&other)),
        }
    }

    fn apply(&self, events: Vec<Event>) -> io::Result<()> {
        match self.ask(&Request::ApplyEvents { events })? {
            Response::Done => Ok(()),
            other => Err(unexpected(&other)),
        }
    }

    fn nodes(&self) -> io::Result<Vec<Node>> {
        match self.ask(&Request::GetTree)? {
            Response::Tree { accesskit, .. } => Ok(accesskit
                .map_or_else(Vec::new, |tree| tree.nodes.into_iter().map(|(_, node)| node).collect())),
            other => Err(unexpected(&other)),
        }
    }

    fn ask(&self, request: &Request) -> io::Result<Response> {
        write_message(&self.stream, request)?;
        read_message(&self.stream)
    }
}

fn unexpected(response: &Response) -> io::Error {
    let what = match response {
        Response::Error { message } => message.as_str(),
        _ => "something else than what was asked",
    };
    io::Error::other(format!("the window answered: {what}"))
}
