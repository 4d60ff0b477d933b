package redact_test

import (
	"bytes"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"io/fs"
	"log/slog"
	"math/rand/v2"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/bobbinhq/bobbin/workflow/redact"
)

// These secrets are made up. They are concatenated so that secret scanners do not report this file.
var (
	github = "ghp_" + "16C7e42F292c6912E7710c838347Ae178B4a"
	aws    = "AKIA" + "Z7QXJ2RTN4WPLK5D"
	slack  = "xoxb-" + "263594206564-2343594206574-FGqddMF8t08v8N7Oq4i57vs1"
	pem    = "-----BEGIN RSA " + "PRIVATE KEY-----\n" + strings.Repeat(
		"MIIEpAIBAAKCAQEA4f5wg5l2hKsTeNemaaaaVrYCqEJx\n", 4,
	) + "-----END RSA " + "PRIVATE KEY-----"
)

func TestSecretsAreMasked(t *testing.T) {
	t.Parallel()
	f := redact.New("s3cr3t-of-ours", "s3cr3t-of-ours-and-more", "short")
	for kind, value := range map[string]string{
		"github-pat":       github,
		"aws-access-token": aws,
		"slack-bot-token":  slack,
		"private-key":      pem,
		"configured":       "s3cr3t-of-ours",
	} {
		text := "first line\nToken: " + value + " and again " + value + "\nlast short line"
		got := f.Mask(text)
		require.NotContains(t, got, value, kind)
		require.Contains(t, got, "[masked: "+kind+"] and again [masked: "+kind+"]")
		require.True(t,
			strings.HasPrefix(got, "first line\n") && strings.HasSuffix(got, "\nlast short line"), got)
		require.True(t, redact.IsMasked(got))
		require.False(t, redact.IsMasked(text))
		found := f.Find(text)
		require.NotEmpty(t, found, kind)
		require.Equal(t, 2, found[0].Line, kind)
		require.Equal(t, got, f.Mask(got), "what is masked stays as it is")
		require.Contains(t, f.Mask("x "+value+" // gitleaks:"+"allow"), "[masked: ",
			"a comment is no permission")
	}
	require.Equal(t, "[masked: configured]!", f.Mask("s3cr3t-of-ours-and-more!"))
	var none *redact.Finder // the control: a nil Finder leaves the secret in the text
	require.Contains(t, none.Mask("a "+github), github)
}

func TestOrdinaryTextIsLeftAlone(t *testing.T) {
	t.Parallel()
	f := redact.New()
	for _, text := range []string{
		"", "shop@134b2ba · revision 1: refunds are two cents too high",
		"commit 16c7e42f292c6912e7710c838347ae178b4a0d11",
		"go.sum h1:9FwW+ZbQhhEKzN6bTqFhdKJwQv2QZ4m8Yk1Q1d0C1bQ=", "token := os.Getenv(\"GITHUB_TOKEN\")",
		"password: \"\"", "sk-…, ghp_…, xoxb-…",
		"AKIAIOSFODNN7" + "EXAMPLE", "5f9d1c9e-8f0b-4b7e-9d3c-2b1f0e6a7c11",
	} {
		require.Equal(t, text, f.Mask(text))
	}
}

// A value that contains a stop word of the rules is not masked; the same value with another word is masked.
func TestWordsOfNoSecret(t *testing.T) {
	t.Parallel()
	f := redact.New()
	for word, masked := range map[string]bool{"account": false, "ACCOUNT": false, "qx4v7zk": true} {
		text := "api_key = \"9f86d081" + word + "84c7d659a2\""
		require.Equal(t, masked, redact.IsMasked(f.Mask(text)), text)
	}
}

// The files of this repository are ordinary code: very little in them looks like a secret, and what does is
// made up.
func TestFewFalseAlarms(t *testing.T) {
	t.Parallel()
	f := redact.New()
	files := 0
	alarms := []string{}
	require.NoError(t, filepath.WalkDir("../..", func(name string, d fs.DirEntry, err error) error {
		if err != nil ||
			d.IsDir() && (d.Name() == ".git" || d.Name() == "releases" || d.Name() == "node_modules") {
			return cmp(err, fs.SkipDir)
		}
		if d.IsDir() || !strings.Contains(".go .md .yaml .sql .txtar .mod .sum", filepath.Ext(name)) ||
			filepath.Ext(name) == "" {
			return nil
		}
		text, err := os.ReadFile(name)
		if err != nil {
			return err
		}
		files++
		for _, x := range f.Find(string(text)) {
			alarms = append(alarms, name+" "+x.Kind)
		}
		return nil
	}))
	t.Logf("%d of %d files: %s", len(alarms), files, strings.Join(alarms, "\n"))
	require.Greater(t, files, 300)
	require.Less(t, len(alarms), files/20)
}

func cmp(err, other error) error {
	if err != nil {
		return err
	}
	return other
}

// A long text is searched in parts, and a secret that crosses the boundary of two parts is found.
func TestLongTexts(t *testing.T) {
	t.Parallel()
	f := redact.New()
	for n := 0; n < 60; n += 3 { // at the boundaries of the first parts, and near them
		before := strings.Repeat("an ordinary line of sixty-four bytes, which is one more than 63.\n", n)
		text := before + "token = " + github + "\n" + strings.Repeat("more\n", 2000)
		found := f.Find(text)
		require.Len(t, found, 1, n)
		require.Equal(t, n+1, found[0].Line)
		require.NotContains(t, f.Mask(text), github)
	}
	require.NotContains(t, f.Mask(strings.Repeat("x\n", 2000)+pem), "MIIEpAIBAAKCAQEA4f5w")
	require.NotContains(t, f.Mask(strings.Repeat("x", 9000)+" "+aws+" "+strings.Repeat("y", 9000)), aws)
}

// A long token on a long line is found wherever it stands.
func TestALongTokenIsNotCut(t *testing.T) {
	t.Parallel()
	f := redact.New()
	for _, length := range []int{1500, 4000} {
		body := make([]byte, length*3/4)
		rand.NewChaCha8([32]byte{1}).Read(body)
		random := base64.RawURLEncoding.EncodeToString(body)
		jwt := "eyJ" + "hbGciOiJIUzI1NiIsInR5cCI6IkpXVCJ9.eyJ" + strings.Trim(random[:length-100], "-_") +
			"." + strings.Trim(random[length-100:], "-_")
		for at := 0; at < 6000; at += 100 {
			text := strings.Repeat("a b, ", at/5) + jwt + " " + strings.Repeat("c d, ", 1200-at/5)
			require.NotContains(t, f.Mask(text), jwt[len(jwt)-40:], "%d at %d", length, at)
		}
	}
}

// Of a private key that is read in two halves, the lines are masked, also with line numbers before them. What
// stands around it is left alone.
func TestHalfAPrivateKeyIsMasked(t *testing.T) {
	t.Parallel()
	f := redact.New()
	const hash = "16c7e42f292c6912e7710c838347ae178b4a0d11"
	around := "commit " + hash + "\nan ordinary line\n"
	numbered := ""
	for i, line := range strings.Split(pem, "\n") {
		numbered += fmt.Sprintf("%d\t%s\n", i+1, line)
	}
	for _, key := range []string{
		pem, numbered, strings.ReplaceAll(pem, "\n", `\n`),
		strings.Replace(pem, "\n", "\nProc-Type: 4,ENCRYPTED\nDEK-Info: AES-128-CBC,0\n\n", 1),
	} {
		half := strings.LastIndex(key[:len(key)*2/3], "MIIEpA")
		for _, part := range []string{key[:half], key[half:]} {
			got := f.Mask(around + part + "\n" + around)
			require.NotContains(t, got, "IIEpAIBAAKCAQEA", part)
			require.Contains(t, got, "PRIVATE KEY-----")
			require.True(t, strings.HasPrefix(got, around) && strings.HasSuffix(got, around), got)
			require.Equal(t, got, f.Mask(got), "what is masked stays as it is")
		}
	}
	require.Equal(t, 2, f.Find(pem[:len(pem)/2])[0].Line)
	mark := strings.SplitAfter(pem, "\n")[0]
	for _, text := range []string{
		mark + "src/main/java/com/example/shop/checkout/payment\n" +
			"TestTheWholeCheckoutOfAShopWithTwoCustomers\n",
		mark + around + "\nand more\nand more\n" + hash,
		`if strings.HasPrefix(text, "` + strings.TrimSpace(mark) + `") {`,
	} {
		require.Equal(t, text, f.Mask(text))
	}
}

func TestLogsAreMasked(t *testing.T) {
	t.Parallel()
	var b bytes.Buffer
	log := slog.New(slog.NewTextHandler(redact.New("given-value").Writer(&b), nil))
	log.With("token", github).WithGroup("g").Error("it failed: "+slack, "err", os.ErrNotExist,
		"key", "given-value")
	got := b.String()
	for _, value := range []string{github, slack, "given-value"} {
		require.NotContains(t, got, value)
	}
	require.Contains(t, got, `g.err="file does not exist"`)
	require.Equal(t, 1, strings.Count(got, "\n"))
}

func TestManyAtOnce(t *testing.T) {
	t.Parallel()
	f := redact.New()
	var all sync.WaitGroup
	for range 8 {
		all.Go(func() {
			if got := f.Mask("a " + aws); strings.Contains(got, aws) {
				t.Error(got)
			}
		})
	}
	all.Wait()
}

func BenchmarkMask200KB(b *testing.B) {
	text, err := os.ReadFile("../turn/internal/agents/inquiry/inquiry.go")
	require.NoError(b, err)
	long := strings.Repeat(string(text), 200<<10/len(text)+1)[:200<<10]
	f := redact.New("given-value")
	f.Mask("warm")
	for b.Loop() {
		f.Mask(long)
	}
}

func BenchmarkMaskLine(b *testing.B) {
	f := redact.New("given-value")
	f.Mask("warm")
	for b.Loop() {
		f.Mask("level=WARN msg=\"model call tried again\" session=k3j2h model=gpt-5 kind=rate wait=2s\n")
	}
}

// A given value is found in whatever form it is sent or quoted. A value that is learned later is known to
// every holder of the Finder.
func TestGivenValuesAreFoundInEveryForm(t *testing.T) {
	t.Parallel()
	const value = "pa55/w0rd+of \"ours\"&"
	long := "first line\n" + strings.Repeat("Ab3/", 16) + "\nlast"
	f := redact.New()
	in := map[string]string{
		"itself":  value,
		"a query": url.QueryEscape(value),
		"a path":  url.PathEscape(value),
		"json":    jsonOf(value),
		"hex":     hex.EncodeToString([]byte(value)),
		"an address": (&url.URL{
			Scheme: "https",
			Host:   "h",
			User:   url.UserPassword("bot", value),
		}).String(),
		"a line of it":  "x " + strings.Repeat("Ab3/", 16),
		"a logged line": fmt.Sprintf("%q", long),
	}
	for _, user := range []string{"", "a", "ab", "x-access-token"} {
		in["basic "+user] = "Basic " + base64.StdEncoding.EncodeToString([]byte(user+":"+value))
		in["url basic "+user] = base64.RawURLEncoding.EncodeToString([]byte(user + ":" + value + " and more"))
	}
	for form, text := range in {
		require.Equal(t, text, f.Mask(text), "the control: it is not known yet, %s", form)
	}
	f.Learn(value, long, "short")
	for form, text := range in {
		require.Contains(t, f.Mask(text), "[masked: configured]", form)
	}
	require.Equal(t, "a short word", f.Mask("a short word"))
}

func jsonOf(s string) string {
	b, _ := json.Marshal(s)
	return string(b)
}
