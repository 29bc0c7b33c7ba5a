package redact

import (
	"strconv"
	"strings"
)

// isSSN refuses the numbers that the Social Security Administration never gives.
func isSSN(s string) bool {
	area, group, serial := s[:3], s[4:6], s[7:]
	return area != "000" && area != "666" && area[0] != '9' && group != "00" && serial != "0000"
}

// isCard is the Luhn test of payment cards.
func isCard(s string) bool {
	d := digitsOf(s)
	return len(d) >= 13 && len(d) <= 19 && strings.Trim(d, "0") != "" && luhn(d)
}

func luhn(digits string) bool {
	sum := 0
	for i := range len(digits) {
		n := int(digits[len(digits)-1-i] - '0')
		if i%2 == 1 {
			n *= 2
		}
		sum += n/10 + n%10
	}
	return sum%10 == 0
}

// isIBAN is the test of ISO 13616: the number modulo 97 is 1.
func isIBAN(s string) bool {
	s = strings.ReplaceAll(s, " ", "")
	if len(s) < 15 || len(s) > 34 {
		return false
	}
	rest := 0
	for _, r := range s[4:] + s[:4] {
		n, err := strconv.ParseInt(string(r), 36, 0)
		if err != nil {
			return false
		}
		if n > 9 {
			rest *= 10
		}
		rest = (rest*10 + int(n)) % 97
	}
	return rest == 1
}

// isNHS is the modulus 11 test of the numbers of the NHS in England and Wales.
func isNHS(s string) bool {
	d := digitsOf(s)
	if len(d) != 10 {
		return false
	}
	sum := 0
	for i := range 9 {
		sum += int(d[i]-'0') * (10 - i)
	}
	check := 11 - sum%11
	if check == 11 {
		check = 0
	}
	return check == int(d[9]-'0')
}

// isDEA is the check digit of the prescriber numbers of the Drug Enforcement Administration.
func isDEA(s string) bool {
	d := digitsOf(s)
	n := func(i int) int { return int(d[i] - '0') }
	return (n(0)+n(2)+n(4)+2*(n(1)+n(3)+n(5)))%10 == n(6)
}

// isVIN is the check digit of ISO 3779 as North America uses it.
func isVIN(s string) bool {
	const letters, values = "ABCDEFGHJKLMNPRSTUVWXYZ", "12345678123457923456789"
	weights := [17]int{8, 7, 6, 5, 4, 3, 2, 10, 0, 9, 8, 7, 6, 5, 4, 3, 2}
	sum := 0
	for i := range 17 {
		value := int(s[i] - '0')
		if at := strings.IndexByte(letters, s[i]); at >= 0 {
			value = int(values[at] - '0')
		}
		sum += value * weights[i]
	}
	return s[8] == "0123456789X"[sum%11]
}

// isIdentityCard is the check digit of the identity numbers of the People's Republic of China
// (GB 11643).
func isIdentityCard(s string) bool {
	weights := [17]int{7, 9, 10, 5, 8, 4, 2, 1, 6, 3, 7, 9, 10, 5, 8, 4, 2}
	sum := 0
	for i, w := range weights {
		sum += int(s[i]-'0') * w
	}
	return strings.ToUpper(s[17:]) == "10X98765432"[sum%11:sum%11+1]
}
