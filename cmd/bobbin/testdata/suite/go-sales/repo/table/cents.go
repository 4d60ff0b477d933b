package table

import (
	"fmt"
	"strconv"
	"strings"
)

// Cents are an amount of money.
type Cents int64

// ParseCents reads 12, 12.5, 12.50 and -0.05.
func ParseCents(text string) (Cents, error) {
	bad := fmt.Errorf("%q is no amount", text)
	digits, negative := strings.CutPrefix(text, "-")
	whole, fraction, _ := strings.Cut(digits, ".")
	if whole == "" || len(fraction) > 2 {
		return 0, bad
	}
	for len(fraction) < 2 {
		fraction += "0"
	}
	n, err := strconv.ParseUint(whole+fraction, 10, 62)
	if err != nil {
		return 0, bad
	}
	if negative {
		return -Cents(n), nil
	}
	return Cents(n), nil
}

func (c Cents) String() string {
	sign := ""
	if c < 0 {
		sign, c = "-", -c
	}
	return fmt.Sprintf("%s%d.%02d", sign, c/100, c%100)
}
