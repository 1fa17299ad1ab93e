//! Remarks of people: sections of a file, each for a part of the page.

/// Remarks by the part of the page that they belong to.
pub struct Remarks<'a>(Vec<(&'a str, &'a str)>);

const BEGIN: &str = "<!-- remarks: ";
const END: &str = " -->";

impl<'a> Remarks<'a> {
    /// Reads sections that begin with `<!-- remarks: NAME -->`: `head`, an experiment or `end`. What is before the first is left out.
    ///
    /// # Errors
    /// Names sections that belong nowhere or come twice.
    pub fn parse(text: &'a str, experiments: &[&str]) -> Result<Self, String> {
        let mut sections: Vec<(&str, &str)> = Vec::new();
        for part in text.split(BEGIN).skip(1) {
            let Some((name, rest)) = part.split_once(END) else {
                return Err(format!(
                    "a section `{}` has no `{END}`",
                    part.lines().next().unwrap_or_default()
                ));
            };
            if !["head", "end"].contains(&name) && !experiments.contains(&name) {
                return Err(format!(
                    "there is no experiment `{name}`: sections are head, an experiment, or end"
                ));
            }
            if sections.iter().any(|(known, _)| *known == name) {
                return Err(format!("there are two sections `{name}`"));
            }
            sections.push((name, rest.trim()));
        }
        Ok(Self(sections))
    }

    /// The remarks on a part of the page; empty where there are none.
    pub fn of(&self, name: &str) -> &'a str {
        self.0.iter().find(|(known, _)| *known == name).map_or("", |(_, text)| text)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sections_are_found_by_name_and_wrong_ones_named() {
        let text = "on top\n<!-- remarks: head -->\nall\n\n<!-- remarks: hold -->\n\nit holds\n";
        let remarks = Remarks::parse(text, &["hold"]).unwrap();
        assert_eq!([remarks.of("head"), remarks.of("hold"), remarks.of("end")], ["all", "it holds", ""]);
        let wrong = |text: &str| Remarks::parse(text, &["hold"]).err().unwrap();
        assert!(wrong("<!-- remarks: hodl -->").contains("`hodl`"));
        assert!(wrong("<!-- remarks: hold -->a<!-- remarks: hold -->b").contains("two sections"));
        assert!(wrong("<!-- remarks: hold\n").contains("hold"));
    }
}
