//! try
use grammarc_candle::{OpenOptions, open};
use grammarc_generate::backend::Chat;
use grammarc_generate::engine::EngineOptions;
use grammarc_generate::*;
fn main() {
    let path = std::env::args().nth(1).unwrap();
    let t = std::time::Instant::now();
    let parts = open(path.as_ref(), &OpenOptions { sequences: Some(4), ..OpenOptions::default() }).unwrap();
    for text in ["Hello world, it's 2024!\n\n  x = 5", " a\tb", "naïve 日本語 🎉"] { println!("{:?}", parts.encoder.text(text)); }
    println!("opened {:?}", t.elapsed());
    let backend = Local::start_engine(parts, EngineOptions::default()).unwrap();
    let chat = |text: &str| Prompt::Chat(Chat { messages: vec![serde_json::json!({"role": "user", "content": text})], ..Chat::default() });
    for forced in [Forced::Off, Forced::Exact, Forced::Canonical] {
        let t = std::time::Instant::now();
        let schema = r#"{"type":"object","properties":{"name":{"type":"string","maxLength":30},"age":{"type":"integer","minimum":0,"maximum":120},"city":{"type":"string","maxLength":30}},"required":["name","age","city"],"additionalProperties":false}"#.parse().unwrap();
        let params = GenerateParams { max_tokens: 80, temperature: 0.0, forced, json_mode: Some(JsonModeConfig { schema: Some(schema), ..JsonModeConfig::default() }), ..GenerateParams::default() };
        let out = backend.generate_output(chat("Give me a person as JSON with name, age and city."), params).unwrap();
        println!("{} {:?} {:?} {:?}", out.text, out.finish, out.usage, t.elapsed());
    }
    let t = std::time::Instant::now();
    let out = backend.generate_output(chat("What is the capital of France?"), GenerateParams { max_tokens: 60, temperature: 0.0, ..GenerateParams::default() }).unwrap();
    println!("{} {:?} {:?} {:?}", out.text, out.finish, out.usage, t.elapsed());
    println!("{:?}", backend.stats());
}
