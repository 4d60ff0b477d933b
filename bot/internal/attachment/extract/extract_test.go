package extract

import (
	"archive/tar"
	"archive/zip"
	"bytes"
	"compress/gzip"
	"context"
	"encoding/binary"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/stretchr/testify/require"
)

// read reads a file and returns its text. Nothing may be left in the folder for what is unpacked.
func read(t testing.TB, name string, content []byte, l Limits) (string, Result) {
	t.Helper()
	dir := t.TempDir()
	var text bytes.Buffer
	got, err := Read(t.Context(), File{name, bytes.NewReader(content), int64(len(content))}, dir, &text, l)
	require.NoError(t, err, name)
	left, err := os.ReadDir(dir)
	require.NoError(t, err)
	require.Empty(t, left, name)
	require.True(t, utf8.Valid(text.Bytes()), name)
	require.NotContains(t, text.String(), "\x00", name)
	return text.String(), got
}

func gzipped(content []byte) []byte {
	var b bytes.Buffer
	w := gzip.NewWriter(&b)
	_, _ = w.Write(content)
	_ = w.Close()
	return b.Bytes()
}

// A member is a file of an archive; Link makes it a symbolic link.
type member struct{ name, content, link string }

func zipped(members ...member) []byte {
	var b bytes.Buffer
	w := zip.NewWriter(&b)
	for _, m := range members {
		h := &zip.FileHeader{Name: m.name, Method: zip.Deflate}
		content := m.content
		if m.link != "" {
			h.SetMode(os.ModeSymlink | 0o777)
			content = m.link
		}
		f, _ := w.CreateHeader(h)
		_, _ = io.WriteString(f, content)
	}
	_ = w.Close()
	return b.Bytes()
}

func tarred(members ...member) []byte {
	var b bytes.Buffer
	w := tar.NewWriter(&b)
	for _, m := range members {
		h := &tar.Header{Name: m.name, Mode: 0o644, Size: int64(len(m.content)), Typeflag: tar.TypeReg}
		if m.link != "" {
			h.Typeflag = tar.TypeSymlink
			h.Linkname = m.link
		}
		_ = w.WriteHeader(h)
		_, _ = io.WriteString(w, m.content)
	}
	_ = w.Close()
	return b.Bytes()
}

const xmlHead = `<?xml version="1.0" encoding="UTF-8" standalone="yes"?>`

// word returns a Word document with that body.
func word(body string) []byte {
	return zipped(member{name: "[Content_Types].xml", content: xmlHead + "<Types/>"}, member{
		name:    "word/document.xml",
		content: xmlHead + `<w:document xmlns:w="w"><w:body>` + body + `</w:body></w:document>`,
	})
}

// logsOfThree is a tar archive with three files, each of one block after its header.
func logsOfThree() []byte {
	return tarred(member{name: "a.log", content: "one\n"}, member{name: "b.log", content: "two\ntwo\n"},
		member{name: "c.log", content: "three\n"})
}

// wide returns a workbook of one sheet with these columns of texts in its one row, and an empty cell after
// them.
func wide(columns int) []byte {
	row := strings.Repeat(`<c t="inlineStr"><is><t>x</t></is></c>`, columns-1)
	return zipped(
		member{name: "xl/workbook.xml", content: xmlHead + `<workbook xmlns:r="http://r"><sheets>` +
			`<sheet name="Totals" sheetId="1" r:id="rId7"/></sheets></workbook>`},
		member{name: "xl/_rels/workbook.xml.rels", content: xmlHead + `<Relationships>` +
			`<Relationship Id="rId7" Target="worksheets/sheet1.xml"/></Relationships>`},
		member{name: "xl/worksheets/sheet1.xml", content: xmlHead + `<worksheet><sheetData><row>` + row +
			`<c t="inlineStr"><is><t>last</t></is></c><c/></row></sheetData></worksheet>`},
	)
}

func workbook() []byte {
	return zipped(
		member{name: "xl/workbook.xml", content: xmlHead + `<workbook xmlns:r="http://r"><sheets>` +
			`<sheet name="Totals" sheetId="1" r:id="rId7"/><sheet name="Empty" sheetId="2" r:id="rId8"/>` +
			`</sheets></workbook>`},
		member{name: "xl/_rels/workbook.xml.rels", content: xmlHead + `<Relationships>` +
			`<Relationship Id="rId7" Target="worksheets/sheet1.xml"/>` +
			`<Relationship Id="rId8" Target="/xl/worksheets/sheet2.xml"/></Relationships>`},
		member{name: "xl/sharedStrings.xml", content: xmlHead +
			`<sst><si><t>order</t></si><si><r><t>to</t></r><r><t>tal</t></r></si></sst>`},
		member{name: "xl/worksheets/sheet1.xml", content: xmlHead + `<worksheet><sheetData>` +
			`<row r="1"><c r="A1" t="s"><v>0</v></c><c r="C1" t="s"><v>1</v></c></row>` +
			`<row r="2"><c r="A2"><v>1042</v></c><c r="C2"><f>A2*2</f><v>5.01</v></c>` +
			`<c r="D2" t="inlineStr"><is><t>off</t></is></c></row></sheetData></worksheet>`},
		member{name: "xl/worksheets/sheet2.xml", content: xmlHead + `<worksheet><sheetData/></worksheet>`},
	)
}

// readable are files of the kinds that are read, with what the text has to hold.
var readable = map[string]struct {
	name    string
	content []byte
	what    string
	left    []string
	text    string // all of it
}{
	"a packed log": {
		name: "app.log.gz", content: gzipped([]byte("panic: x\n")), what: "text, unpacked with gzip",
		text: "panic: x\n",
	},
	"a packed log that is cut off": {
		name: "app.log.gz", content: gzipped([]byte(strings.Repeat("a line\n", 9)))[:20],
		what: "text, unpacked with gzip", left: []string{"the rest (it is broken: unexpected EOF)"},
		text: "a line\na line\n",
	},
	"a tar": {
		name: "logs.tgz", content: gzipped(tarred(member{name: "a/app.log", content: "one"},
			member{name: "../../etc/passwd", content: "root\n"}, member{name: "link", link: "/etc/shadow"})),
		what: "a tar archive with 3 files, unpacked with gzip",
		left: []string{"link (a link or a special file)"},
		text: "==> a/app.log <==\none\n==> ../../etc/passwd <==\nroot\n",
	},
	"a tar that is cut after a file": {
		name: "logs.tar", content: logsOfThree()[:1024], what: "a tar archive with 1 file",
		left: []string{"the rest (it is cut off)"}, text: "==> a.log <==\none\n",
	},
	"a tar that is cut in a header": {
		name: "logs.tar", content: logsOfThree()[:1200], what: "a tar archive with 1 file",
		left: []string{"the rest (it is broken: unexpected EOF)"}, text: "==> a.log <==\none\n",
	},
	"a tar that is cut in a file": {
		name: "logs.tar", content: logsOfThree()[:1024+512+4], what: "a tar archive with 2 files",
		left: []string{
			"the rest of b.log (it is broken: unexpected EOF)", "the rest (it is broken: unexpected EOF)",
		},
		text: "==> a.log <==\none\n==> b.log <==\ntwo\n",
	},
	"a tar that is cut after a file, packed": {
		name: "logs.tgz", content: gzipped(logsOfThree()[:2048]),
		what: "a tar archive with 2 files, unpacked with gzip",
		left: []string{"the rest (it is cut off)"}, text: "==> a.log <==\none\n==> b.log <==\ntwo\ntwo\n",
	},
	"a tar that is whole": {
		name: "logs.tar", content: logsOfThree(), what: "a tar archive with 3 files",
		text: "==> a.log <==\none\n==> b.log <==\ntwo\ntwo\n==> c.log <==\nthree\n",
	},
	"a wide sheet": {
		name: "a.xlsx", content: wide(maxColumns), what: "a workbook with 1 sheet",
		text: "[sheet Totals]\n" + strings.Repeat("x\t", maxColumns-1) + "last\n",
	},
	"a sheet that is too wide": {
		name: "a.xlsx", content: wide(maxColumns + 1), what: "a workbook with 1 sheet",
		left: []string{"columns of the sheet Totals (those after the first 400)"},
		text: "[sheet Totals]\n" + strings.Repeat("x\t", maxColumns-1) + "x\n",
	},
	"a sheet with a cell far off": {
		name: "a.xlsx", what: "a workbook with 1 sheet",
		content: zipped(
			member{name: "xl/workbook.xml", content: xmlHead + `<workbook xmlns:r="http://r"><sheets>` +
				`<sheet name="T" sheetId="1" r:id="rId7"/></sheets></workbook>`},
			member{name: "xl/_rels/workbook.xml.rels", content: xmlHead + `<Relationships>` +
				`<Relationship Id="rId7" Target="worksheets/sheet1.xml"/></Relationships>`},
			member{name: "xl/worksheets/sheet1.xml", content: xmlHead + `<worksheet><sheetData><row>` +
				`<c r="A1"><v>1</v></c><c r="XFD1"><v>2</v></c></row></sheetData></worksheet>`},
		),
		left: []string{"columns of the sheet T (those after the first 400)"}, text: "[sheet T]\n1\n",
	},
	"a zip": {
		name: "logs.zip",
		content: zipped(member{name: "logs/"}, member{name: "logs/app.log", content: "two\n"},
			member{name: "shot.png", content: "\x89PNG\r\n\x1a\n"},
			member{name: "core", content: "\x7fELF\x00"}, member{name: "l", link: "../x"},
			member{name: "old.zip", content: string(zipped(member{name: "old.log", content: "three\n"}))}),
		what: "a zip archive with 5 files",
		left: []string{
			"shot.png (a picture; attach it by itself)",
			"core (it is neither text nor a picture that I can read " +
				"(application/octet-stream by its content); attach what matters in it as text)",
			"l (a link or a special file)",
		},
		text: "==> logs/app.log <==\ntwo\n==> old.log <==\nthree\n",
	},
	"JSON lines": {
		name: "app.log", what: "JSON lines, one entry below the other",
		content: []byte(`{"ts":"09:00","level":"error","msg":"no total","order":1042,"at":"a b",` +
			`"stack":"panic\nmain.go:3"}` + "\n" + `{"msg":"ok","n":null}` + "\n{}\nplain\n"),
		text: "09:00 error no total order=1042 at=\"a b\"\n    stack:\n      panic\n      main.go:3\n" +
			"ok n=null\n{}\nplain\n",
	},
	"Word": {
		name: "report.docx", what: "a Word document",
		content: word(`<w:p><w:pPr><w:tabs><w:tab/></w:tabs></w:pPr><w:r><w:t>The total</w:t></w:r>` +
			`<w:r><w:tab/><w:t>is &lt;off&gt;</w:t><w:instrText>PAGE</w:instrText></w:r></w:p>` +
			`<w:tbl><w:tr><w:tc><w:p><w:r><w:t>a</w:t></w:r></w:p></w:tc>` +
			`<w:tc><w:p><w:r><w:t>b</w:t></w:r></w:p></w:tc></w:tr></w:tbl>`),
		text: "The total\tis <off>\na \tb \t\n",
	},
	"Excel": {
		name: "totals.xlsx", content: workbook(), what: "a workbook with 2 sheets",
		text: "[sheet Totals]\norder\t\ttotal\n1042\t\t5.01\toff\n[sheet Empty]\n",
	},
	"PowerPoint": {
		name: "talk.pptx", what: "a presentation with 2 slides",
		content: zipped(member{name: "ppt/presentation.xml", content: xmlHead + "<p/>"},
			member{name: "ppt/slides/slide10.xml", content: xmlHead +
				`<p:sld xmlns:p="p" xmlns:a="a"><a:p><a:r><a:t>last</a:t></a:r></a:p></p:sld>`},
			member{name: "ppt/slides/slide2.xml", content: xmlHead +
				`<p:sld xmlns:p="p" xmlns:a="a"><a:p><a:r><a:t>first</a:t></a:r></a:p></p:sld>`}),
		text: "\n[slide 1]\nfirst\n\n[slide 2]\nlast\n",
	},
	"OpenDocument": {
		name: "report.odt", what: "an OpenDocument file",
		content: zipped(member{name: "META-INF/manifest.xml", content: "<m/>"},
			member{name: "content.xml", content: xmlHead +
				`<o:d xmlns:o="o" xmlns:text="t"><text:h>Head</text:h>` +
				`<text:p>a<text:tab/>b<text:s/><text:span>c</text:span></text:p></o:d>`}),
		text: "Head\na\tb c\n",
	},
}

func TestRead(t *testing.T) {
	t.Parallel()
	for name, c := range readable {
		text, got := read(t, c.name, c.content, Default)
		require.Empty(t, got.Why, name)
		require.Equal(t, c.what, got.What, name)
		require.Equal(t, c.left, got.Left, name)
		if strings.Contains(name, "cut off") {
			require.Contains(t, text, "a line", name)
			continue
		}
		require.Equal(t, c.text, text, name)
	}
	_, got := read(t, "a.log", []byte("\x89PNG\r\n\x1a\n"), Default)
	require.Equal(t, "image/png", got.Picture)
}

// hostile are files that want more than their share, with the limit that stops each of them. The control
// takes the limit away: the reason has to be gone.
var hostile = map[string]struct {
	name    string
	content func() []byte
	limits  Limits // smaller than those of Default, to keep the test short
	off     func(*Limits)
	why     string
}{
	"ten gigabytes of zeros in a gzip": {
		name:    "app.log.gz",
		content: func() []byte { return bytes.Repeat(gzipped(make([]byte, 10<<20)), 1000) },
		limits:  Default,
		off: func(l *Limits) {
			l.Ratio = 1 << 20
			l.Unpacked = 20 << 20
		},
		why: "it unpacks to more than 200 times its size",
	},
	"a zip whose files are all the same bytes": {
		name:    "a.zip",
		content: func() []byte { return zipped(member{name: "a.log", content: strings.Repeat("a", 8<<20)}) },
		limits:  Default,
		off:     func(l *Limits) { l.Ratio = 1 << 20 },
		why:     "it unpacks to more than 200 times its size",
	},
	"archives in one another": {
		name: "a.zip",
		content: func() []byte {
			inner := zipped(member{name: "a.log", content: "deep\n"})
			for range 4 {
				inner = zipped(member{name: "a.zip", content: string(inner)})
			}
			return inner
		},
		limits: Default,
		off:    func(l *Limits) { l.Depth = 9 },
		why:    "it is an archive in 3 other archives",
	},
	"archives beside one another, in one another": {
		name: "a.zip",
		content: func() []byte {
			inner := zipped(member{name: "a.log", content: "wide\n"})
			for range 2 {
				var all []member
				for range 5 {
					all = append(all, member{name: "a.zip", content: string(inner)})
				}
				inner = zipped(all...)
			}
			return inner
		},
		limits: func() Limits { l := Default; l.Files = 10; return l }(),
		off:    func(l *Limits) { l.Files = 100 },
		why:    "there are more than 10 files in it",
	},
	"one packed file under many names": {
		name:    "a.zip",
		content: func() []byte { return overlapping(50) },
		limits:  func() Limits { l := Default; l.Unpacked = 1 << 20; return l }(),
		off:     func(l *Limits) { l.Unpacked = 8 << 20 },
		why:     "all together it is more than I unpack",
	},
	"many files": {
		name: "a.tar",
		content: func() []byte {
			var all []member
			for i := range 20 {
				all = append(all, member{name: fmt.Sprint(i), content: "x"}, member{name: "l", link: "x"})
			}
			return tarred(all...)
		},
		limits: func() Limits { l := Default; l.Files = 10; return l }(),
		off:    func(l *Limits) { l.Files = 100 },
		why:    "there are more than 10 files in it",
	},
	"many bytes": {
		name: "a.tar",
		content: func() []byte {
			return tarred(member{name: "a", content: strings.Repeat("a line of text\n", 9000)},
				member{name: "b", content: strings.Repeat("a line of text\n", 9000)})
		},
		limits: func() Limits { l := Default; l.Unpacked = 200 << 10; return l }(),
		off:    func(l *Limits) { l.Unpacked = 1 << 20 },
		why:    "all together it is more than I unpack",
	},
	"much text": {
		name:    "a.log",
		content: func() []byte { return []byte(strings.Repeat("a line of text\n", 9000)) },
		limits:  func() Limits { l := Default; l.Text = 100 << 10; return l }(),
		off:     func(l *Limits) { l.Text = 1 << 20 },
		why:     "it is more text than I read",
	},
	"a long directory": {
		name: "a.zip",
		content: func() []byte {
			var all []member
			for i := range 2000 {
				all = append(all, member{name: fmt.Sprint(i, strings.Repeat("x", 50))})
			}
			return zipped(all...)
		},
		limits: func() Limits { l := Default; l.Listing = 50 << 10; l.Files = 1 << 20; return l }(),
		off:    func(l *Limits) { l.Listing = 1 << 20 },
		why:    "its list of files is too long",
	},
	"a large part of a document": {
		name:    "a.docx",
		content: func() []byte { return word("<w:p><w:t>" + strings.Repeat("a", 1<<20) + "</w:t></w:p>") },
		limits:  func() Limits { l := Default; l.Part = 100 << 10; return l }(),
		off:     func(l *Limits) { l.Part = 2 << 20 },
		why:     "a part of the document has more than 100.0 KB",
	},
	"elements in one another": {
		name: "a.docx",
		content: func() []byte {
			return word(strings.Repeat("<w:p>", 500) + "<w:t>a</w:t>" + strings.Repeat("</w:p>", 500))
		},
		limits: Default,
		off:    func(l *Limits) { l.Nesting = 1000 },
		why:    "its elements are nested too deep",
	},
	"a large request": {
		name: "a.har",
		content: func() []byte {
			return []byte(`{"log":{"creator":{},"entries":[{"request":{"method":"GET","url":"/a"},` +
				`"response":{"status":200,"content":{"text":"` + strings.Repeat("a", 3<<20) + `"}}},{}]}}`)
		},
		limits: func() Limits { l := Default; l.Part = 1 << 20; return l }(),
		off:    func(l *Limits) { l.Part = 8 << 20 },
		why:    "a request in it is larger than 1.0 MB",
	},
}

// overlapping returns a zip archive whose directory lists its one file of 100 KB many times.
func overlapping(times int) []byte {
	var numbers strings.Builder
	for i := range 20_000 {
		fmt.Fprintf(&numbers, "%d\n", i)
	}
	whole := zipped(member{name: "a.log", content: numbers.String()})
	end := bytes.Clone(whole[len(whole)-22:]) // the end of the directory, which says where that begins
	at := binary.LittleEndian.Uint32(end[16:])
	entry := whole[at : len(whole)-22]
	binary.LittleEndian.PutUint16(end[8:], uint16(times))
	binary.LittleEndian.PutUint16(end[10:], uint16(times))
	binary.LittleEndian.PutUint32(end[12:], uint32(times*len(entry)))
	return slices.Concat(whole[:at], bytes.Repeat(entry, times), end)
}

// TestNamesInArchivesLeadNowhere checks that nothing is written to a path that an archive names, also through
// a link of the archive. The control unpacks as the usual way does.
func TestNamesInArchivesLeadNowhere(t *testing.T) {
	t.Parallel()
	outside := t.TempDir()
	members := []member{
		{name: "../above.txt", content: "planted\n"},
		{name: outside + "/absolute.txt", content: "planted\n"},
		{name: "door", link: outside},
		{name: "door/through.txt", content: "planted\n"},
	}
	for name, content := range map[string][]byte{"a.zip": zipped(members...), "a.tar": tarred(members...)} {
		dir := filepath.Join(t.TempDir(), "inner")
		require.NoError(t, os.Mkdir(dir, 0o755))
		var text bytes.Buffer
		file := File{name, bytes.NewReader(content), int64(len(content))}
		got, err := Read(t.Context(), file, dir, &text, Default)
		require.NoError(t, err, name)
		require.Equal(t, []string{"door (a link or a special file)"}, got.Left, name)
		require.Equal(t, 3, strings.Count(text.String(), "planted"), name)
		for _, folder := range []string{dir, filepath.Dir(dir), outside} {
			left, err := os.ReadDir(folder)
			require.NoError(t, err)
			left = slices.DeleteFunc(left, func(e os.DirEntry) bool { return e.Name() == "inner" })
			require.Empty(t, left, folder)
		}
	}
	dir := filepath.Join(t.TempDir(), "inner")
	require.NoError(t, os.Mkdir(dir, 0o755))
	for _, m := range members {
		if m.link != "" {
			require.NoError(t, os.Symlink(m.link, filepath.Join(dir, m.name)))
		} else if !filepath.IsAbs(m.name) {
			require.NoError(t, os.WriteFile(filepath.Join(dir, m.name), []byte(m.content), 0o600))
		}
	}
	require.FileExists(t, filepath.Join(filepath.Dir(dir), "above.txt"), "the control")
	require.FileExists(t, filepath.Join(outside, "through.txt"), "the control")
}

func TestLimitsStopHostileFiles(t *testing.T) {
	t.Parallel()
	for name, c := range hostile {
		content := c.content()
		_, got := read(t, c.name, content, c.limits)
		require.Contains(t, got.Why+strings.Join(got.Left, ", "), c.why, name)
		c.off(&c.limits)
		_, got = read(t, c.name, content, c.limits)
		require.NotContains(t, got.Why+strings.Join(got.Left, ", "), c.why, "the control of %s", name)
	}
}

// TestBrokenFiles checks that a file that is not what it begins as has one reason, and that an entity of XML
// is refused, not expanded.
func TestBrokenFiles(t *testing.T) {
	t.Parallel()
	bomb := `<!DOCTYPE d [<!ENTITY a "aaaaaaaaaa"><!ENTITY b "&a;&a;&a;&a;&a;&a;&a;&a;">]>`
	for name, c := range map[string]struct {
		name, content, why string
	}{
		"empty":           {"a.log", "", "it is empty"},
		"gzip":            {"a.gz", "\x1f\x8b\x08", "it is broken"},
		"zip":             {"a.zip", "PK\x03\x04\x00", "it is broken"},
		"tar":             {"a.tar", strings.Repeat("x", 257) + "ustar" + strings.Repeat("x", 300), "broken"},
		"PDF":             {"a.pdf", "%PDF-1.7\n1 0 obj\n<<", "it is a PDF, which I do not read"},
		"HAR":             {"a.har", "no JSON", "it is broken"},
		"HAR, cut off":    {"a.har", `{"log":{"entries":[{"request":`, "that ends too early"},
		"HAR of nothing":  {"a.har", `{"log":{"entries":[]}}`, "it is a HAR file without requests"},
		"HAR, deep":       {"a.har", strings.Repeat("[", 100), "nested too deep"},
		"a binary":        {"a.log", "\x7fELF\x00\x00", "neither text nor a picture"},
		"Word":            {"a.docx", string(word("<w:p>")), "it is broken"},
		"an XML bomb":     {"a.docx", string(word(bomb + "<w:p><w:t>&b;</w:t></w:p>")), "it is broken"},
		"a Word of words": {"a.docx", string(word("")), "there is no text in it"},
		"an archive of pictures": {
			"a.zip", string(zipped(member{name: "a.png", content: "\x89PNG\r\n\x1a\n"})),
			"a zip archive with 1 file, and nothing in it can be read: a.png (a picture; attach",
		},
	} {
		text, got := read(t, c.name, []byte(c.content), Default)
		require.Contains(t, got.Why, c.why, name)
		require.Empty(t, text, name)
	}
}

const har = `{"log": {"version": "1.2", "creator": {"name": "WebInspector"}, "pages": [{"entries": []}], "entries": [
	{"startedDateTime": "2026-11-28T09:00:00.000Z", "time": 12.4, "request": {"method": "GET",
		"url": "https://ann:hunter2-in-url@shop.test/cart?page=2&access_token=tok-in-query#id_token=tok-in-hash",
		"headers": [{"name": "Cookie", "value": "sid=cookie-in-header"}],
		"cookies": [{"name": "sid", "value": "cookie-in-list"}],
		"queryString": [{"name": "access_token", "value": "tok-in-list"}]},
		"response": {"status": 200, "headers": [], "cookies": [], "content": {"text": "body-of-success"}}},
	{"startedDateTime": "2026-11-28T09:00:01.000Z", "time": 30, "request": {"method": "POST",
		"url": "https://shop.test/order", "headers": [{"name": "Authorization", "value": "Bearer tok-in-bearer"}],
		"postData": {"mimeType": "application/json",
			"text": "{\"sku\": \"tea\", \"card\": {\"number\": \"4111-in-body\"}, \"items\": [{\"password\": \"pw-in-body\"}]}"}},
		"response": {"status": 500, "statusText": 7, "headers": [
			{"name": "Set-Cookie", "value": "sid=cookie-set"}, {"name": "X-Request-Id", "value": "req-7"}],
			"content": {"mimeType": "application/json", "text": "{\"error\": \"no total\", \"refreshToken\": \"tok-in-answer\"}"}}},
	{"startedDateTime": "2026-11-28T09:00:02.000Z", "time": 1, "request": {"method": "POST", "url": "https://shop.test/login",
		"postData": {"mimeType": "application/x-www-form-urlencoded", "text": "user=ann&pass%77ord=pw-in-form"}},
		"response": {"status": 401, "headers": [], "content": {"mimeType": "application/javascript", "text": "var t='tok-in-script'"}}},
	{"startedDateTime": "2026-11-28T09:00:03.000Z", "time": 0, "request": {"method": "GET", "url": "https://cdn.test/a.js"},
		"response": {"status": 0, "_error": "net::ERR_BLOCKED", "headers": [], "content": {}}}
]}}`

// TestReadHAR checks that the failed requests come first, and that nothing is read that may sign somebody in:
// each such value of the file has "-in-" or "cookie" in it.
func TestReadHAR(t *testing.T) {
	t.Parallel()
	text, got := read(t, "session.har", []byte(har), Default)
	require.Equal(t, Result{
		What: "a HAR file with 4 requests, 3 of them failed, read without cookies and logins",
	}, got)
	require.Equal(t, `Failed requests:
2026-11-28T09:00:01.000Z POST https://shop.test/order 500 30 ms
    X-Request-Id: req-7
    sent: {"card":"[left out]","items":[{"password":"[left out]"}],"sku":"tea"}
    answer: {"error":"no total","refreshToken":"[left out]"}
2026-11-28T09:00:02.000Z POST https://shop.test/login 401 1 ms
    sent: user=ann&pass%77ord=[left out]
2026-11-28T09:00:03.000Z GET https://cdn.test/a.js no answer (net::ERR_BLOCKED) 0 ms

All requests in their order:
2026-11-28T09:00:00.000Z GET https://shop.test/cart?page=2&access_token=[left out] 200 12 ms
2026-11-28T09:00:01.000Z POST https://shop.test/order 500 30 ms
2026-11-28T09:00:02.000Z POST https://shop.test/login 401 1 ms
2026-11-28T09:00:03.000Z GET https://cdn.test/a.js no answer (net::ERR_BLOCKED) 0 ms
`, text)
	require.NotRegexp(t, `-in-|sid=|cookie-`, text)
	byContent, _ := read(t, "session.json", []byte(har), Default)
	require.Equal(t, text, byContent)
	require.Regexp(t, `-in-|sid=|cookie-`, har, "the control: the file has them")
}

// FuzzRead checks that whatever a file holds, reading it ends, and gives text or a reason.
func FuzzRead(f *testing.F) {
	for _, c := range readable {
		f.Add(c.name, c.content)
	}
	f.Add("a.har", []byte(har))
	f.Add("a.docx", word("<w:p>"))
	small := Default
	small.Unpacked = 1 << 20
	small.Files = 20
	f.Fuzz(func(t *testing.T, name string, content []byte) {
		text, got := read(t, name, content, small)
		if got.Picture == "" {
			require.Equal(t, text == "", got.Why != "", got.Why)
		}
	})
}

// TestReadStopsWithItsContext checks that a turn that ends does not wait for a large file.
func TestReadStopsWithItsContext(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	for name, c := range readable {
		_, err := Read(ctx, File{c.name, bytes.NewReader(c.content), int64(len(c.content))}, t.TempDir(),
			io.Discard, Default)
		require.ErrorIs(t, err, context.Canceled, name)
	}
}
