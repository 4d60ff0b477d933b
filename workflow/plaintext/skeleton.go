package plaintext

import (
	"strings"
	"unicode"
)

// Skeleton returns the letters, digits and signs of ASCII that a text looks like, in lower case, and for
// each of its bytes the offset in s of the character that it stands for, with len(s) at the end. Invisible
// characters and accents are left out; other characters stand for themselves. Program code that looks for
// words which somebody may have disguised reads the skeleton.
func Skeleton(s string) (skeleton string, at []int) {
	var b strings.Builder
	for i, r := range s {
		if r > unicode.MaxASCII && (unicode.In(r, unicode.Cf, unicode.Mn, unicode.Me) || isHidden(r)) {
			continue
		}
		n := b.Len()
		b.WriteRune(looksLike(r))
		for range b.Len() - n {
			at = append(at, i)
		}
	}
	return b.String(), append(at, len(s))
}

// looksLike returns the character of ASCII that r looks like, in lower case, or r in lower case.
func looksLike(r rune) rune {
	switch {
	case r >= 0xff01 && r <= 0xff5e: // the forms as wide as Chinese characters
		r -= 0xfee0
	case r >= 0x1d400 && r <= 0x1d6a3:
		// bold, italic, script and others: each alphabet has 26 capitals and 26 small letters
		r = 'a' + (r-0x1d400)%26
	case r >= 0x1d7ce && r <= 0x1d7ff:
		r = '0' + (r-0x1d7ce)%10
	case r >= 0x24b6 && r <= 0x24e9: // in circles
		r = 'a' + (r-0x24b6)%26
	case r >= 0x1f130 && r <= 0x1f189: // in squares and circles
		r = 'a' + (r-0x1f130)%32%26
	case unicode.Is(unicode.Zs, r):
		r = ' '
	default:
		like, ok := lookalikes[r]
		if !ok {
			like, ok = lookalikes[unicode.ToLower(r)] // a capital letter with an accent
		}
		if ok {
			r = like
		}
	}
	return unicode.ToLower(r)
}

// lookalikes maps letters of other scripts and signs to what they look like in ASCII.
var lookalikes = func() map[rune]rune {
	m := map[rune]rune{}
	for like, list := range map[rune]string{
		'a':  "аɑαΑАᴀᎪàáâãäåāăą",
		'b':  "ЬВΒвʙᏴ",
		'c':  "сϲСⅽᴄçćč",
		'd':  "ԁⅾᏧᴅďᎠ",
		'e':  "еЕΕεҽᴇᎬèéêëēėę℮",
		'f':  "ƒϝꜰ",
		'g':  "ɡցԌɢğᏀ",
		'h':  "һНΗհʜ",
		'i':  "іІΙιıɩɪìíîïīⅰ",
		'j':  "јЈϳᴊ",
		'k':  "кКΚκᴋ",
		'l':  "ӏⅼℓʟłӀᏞ",
		'm':  "мМΜⅿᴍᎷ",
		'n':  "пΝηոɴñńň",
		'o':  "оОΟοօσᴏòóôõöøō",
		'p':  "рРΡρᴘᏢ",
		'q':  "ԛզ",
		'r':  "гʀᴦřᎡᏒ",
		's':  "ѕЅꜱᏚśšş",
		't':  "тТΤτᴛᎢť",
		'u':  "υսᴜùúûüū",
		'v':  "νѵⅴᴠᏙ",
		'w':  "ԝѡшᴡ",
		'x':  "хХΧχⅹ",
		'y':  "уУΥγүʏýÿ",
		'z':  "ᴢΖžźż",
		'-':  "‐‑‒–—―−﹣－⁃ー",
		':':  "：﹕։꞉∶ː˸׃᛬⁚︓፡",
		'"':  "“”„‟",
		'\'': "‘’‚‛",
	} {
		for _, r := range list {
			m[r] = like
		}
	}
	return m
}()
