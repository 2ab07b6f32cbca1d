-- b2c.xml

local b2c = require "b2c"
local xml = b2c.xml
local support = require "support"
local equal, failure, message = support.equal, support.failure, support.message

local root = xml.parse [==[
<?xml version="1.0"?>
<d:multistatus xmlns:d="DAV:" xmlns:c="urn:ietf:params:xml:ns:caldav">
  <d:response d:status="a &amp; b"><d:href>/a</d:href><c:href>no</c:href></d:response>
  <d:response><d:href> /b
  c </d:href><d:x><![CDATA[<raw>]]><d:y/>tail</d:x></d:response>
</d:multistatus>]==]
equal(root.name, "multistatus")
equal(root.namespace, "DAV:")
equal(#xml.find_all(root, "response"), 2)
equal(#xml.find_all(root, "response/href"), 3)
equal(#xml.find_all(root, "response/{DAV:}href"), 2)
equal(#xml.find_all(root, "//href"), 3)
equal(#xml.find_all(root, "*/*"), 4)
equal(xml.text(xml.find_all(root, "//{DAV:}href")[2]), "/b c")
equal(xml.text(root, "response/x"), "<raw>tail")
equal(xml.text(root, "nothing"), nil)
equal(xml.text(nil), nil)
equal(xml.find(root, "response").attributes["d:status"], "a & b")
equal(xml.find(root, "response").line, 3)
equal(message(xml.find, root, "a//"), "xml.find: argument 2: 'a//' is not a path")

-- Refused documents
local e = failure(xml.parse, "<a>\n<b></a>")
equal(e.code, "malformed_xml")
equal(e.message, "xml.parse: line 2: Opening and ending tag mismatch: b line 2 and a")
local laughs = { '<!ENTITY l0 "lol">' }
for i = 1, 9 do laughs[#laughs + 1] = ('<!ENTITY l%d "%s">'):format(i, (("&l%d;"):format(i - 1)):rep(10)) end
equal(failure(xml.parse, "<!DOCTYPE a [" .. table.concat(laughs) .. "]><a>&l9;</a>").code, "malformed_xml")
equal(failure(xml.parse, '<!DOCTYPE a [<!ENTITY x SYSTEM "file:///etc/passwd">]><a>&x;</a>').code, "malformed_xml")
-- Parameter entities grow in the declarations already.
local grown = { '<!ENTITY % p0 "<!ELEMENT b ANY>">' }
for i = 1, 9 do grown[#grown + 1] = ('<!ENTITY %% p%d "%s">'):format(i, (("&#37;p%d;"):format(i - 1)):rep(10)) end
equal(failure(xml.parse, "<!DOCTYPE a [" .. table.concat(grown) .. "%p9;]><a/>").message,
  "xml.parse: line 1: the document declares entities, which is not supported")
equal(failure(xml.parse, "<a><!--" .. ("-"):rep(2 << 20) .. "--></a>").message,
  "xml.parse: line 1: a comment has many double hyphens, which XML forbids")
equal(xml.parse("<a><!-- - - -->" .. ("<!-- x -->"):rep(100) .. "</a>").name, "a")
equal(failure(xml.parse, '<!DOCTYPE a SYSTEM "http://127.0.0.1:1/x.dtd"><a>&x;</a>').code, "malformed_xml")
equal(failure(xml.parse, ("<a>"):rep(10000) .. ("</a>"):rep(10000)).code, "malformed_xml")
equal(failure(xml.parse, "<a>" .. ("x"):rep(17 << 20) .. "</a>").code, "malformed_xml")
equal(failure(xml.parse, "<a>" .. ("<b/>"):rep(500001) .. "</a>").message,
  "xml.parse: line 1: there are more than 500000 elements")
equal(failure(xml.parse, "<a>\xff</a>").code, "malformed_xml")
local attributes = {}
for i = 1, 200000 do attributes[i] = ("a%d='1'"):format(i) end
equal(failure(xml.parse, "<a " .. table.concat(attributes, " ") .. "/>").message,
  "xml.parse: line 1: an element has more than 1024 attributes")
equal(xml.parse("<a><!-- " .. ("="):rep(3000) .. " --><b c='='/></a>")[1].attributes.c, "=")
local circle = xml.parse "<a/>"
circle[1] = circle
equal(failure(xml.text, circle).code, "invalid_argument")
equal(failure(xml.find_all, circle, "//b").code, "invalid_argument")

-- Escaping comes back as it was.
local odd = "<a & \"b\" 'c'>\r\n\tü🥛"
equal(xml.parse(("<x y=\"%s\">%s</x>"):format(xml.escape "<&\"'", xml.escape(odd)))[1], odd)
assert(message(xml.escape, "a\0"):find("U+0 at 2", 1, true))

-- Feeds
local feed = xml.feed [[
<rss version="2.0"><channel><title>News</title><link>https://example.org/</link>
<item><title>One</title><guid>1</guid><description>&lt;p&gt;Some &lt;b&gt;text&lt;/b&gt;&lt;/p&gt;</description>
<pubDate>Sun, 31 Jan 2027 09:00:00 +0100</pubDate></item>
<item><title>Two</title><link>https://example.org/2</link><pubDate>soon</pubDate></item></channel></rss>]]
equal(feed.kind, "rss")
equal(feed.items[1].summary, "Some text")
equal(feed.items[1].published, "2027-01-31T08:00:00Z")
equal(feed.items[2].id, "https://example.org/2")
equal(feed.items[2].published, nil)
feed = xml.feed [[
<feed xmlns="http://www.w3.org/2005/Atom"><title>Atom</title><link rel="self" href="x"/><link href="https://example.org/"/>
<entry><id>u1</id><title type="html">A</title><link href="https://example.org/a"/><updated>2027-01-31T08:00:00Z</updated>
<author><name>Ada</name></author><content type="xhtml"><div xmlns="http://www.w3.org/1999/xhtml">a<b>b</b>c</div></content></entry></feed>]]
equal(feed.link, "https://example.org/")
equal(feed.items[1].author, "Ada")
equal(feed.items[1].content, "abc")
equal(feed.items[1].published, "2027-01-31T08:00:00Z")
equal(failure(xml.feed, "<html/>").message, "xml.feed: the document is not a feed: its root element is html")
equal(xml.html_text "<p>Some <b>text</b></p><script>x</script><p>more &amp; more</p>", "Some text\nmore & more")
