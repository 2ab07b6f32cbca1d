// Tests of Markup.
