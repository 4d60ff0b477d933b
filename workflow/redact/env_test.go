package redact_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/bobbinhq/bobbin/workflow/redact"
)

func TestEnvValuesAreThoseOfSecrets(t *testing.T) {
	t.Parallel()
	file := "# SECRET=not this one\nPORT=3000\nNODE_ENV=development\n" +
		"export API_TOKEN='tea-and-biscuits' # the real one\r\n" +
		"DB_PASSWORD=\"open sesame\"\nDATABASE_URL=postgres://shop:correct%20horse@localhost/shop\n" +
		"KEYBOARD=qwertz-layout\n" +
		"POSTGRES_PASSWORD=postgres\nMYSQL_PASSWORD='password'\n" +
		"TEST_URL=postgres://shop-tests:shop-tests@localhost/shop\n" +
		"STRIPE_KEY2=four-score # and seven\nnonsense\n=x\nEMPTY_SECRET=\n" +
		"//npm.example/:_authToken=years-ago\n//npm.example/:_authToken=${NPM_TOKEN}\n"
	require.Equal(t,
		[]string{"tea-and-biscuits", "open sesame", "correct horse", "four-score", "", "years-ago"},
		redact.EnvValues(file))
	f := redact.New("a-given-value").With(redact.EnvValues(file)...)
	require.Equal(t, "[masked: configured], [masked: configured], development",
		f.Mask("a-given-value, tea-and-biscuits, development"))
	require.Equal(t, "tea-and-biscuits", redact.New().Mask("tea-and-biscuits"), "the control: nobody told it")
	var none *redact.Finder
	require.Nil(t, none.With("tea-and-biscuits"))
}

// FuzzEnvValues checks that each value is part of the file, whatever the file contains.
func FuzzEnvValues(f *testing.F) {
	for _, seed := range []string{
		"A_TOKEN=abc\n", "export DB_PASSWORD=\"a b\" # c", "URL=https://u:p%40x@h/", "KEY='", "=x", "#K=1",
		"SECRET=\xff\x00",
	} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, file string) {
		for _, value := range redact.EnvValues(file) {
			if !strings.Contains(file, "%") { // a password in a URL is unescaped
				require.Contains(t, file, value)
			}
		}
	})
}
