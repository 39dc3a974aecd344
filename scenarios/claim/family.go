package claim

import (
	"fmt"
	"strconv"
)

// The correction for many claims. Each claim is decided at ClaimLevel, which is
// a constant: a claim's verdict does not depend on which other scenarios are
// run, nor on how many claims the library has today. A test of the library
// holds the sum of 1 - level over all claims to 1 - FamilyLevel.
const (
	// FamilyLevel is the confidence in all verdicts of the library together:
	// the chance that any part is decided wrongly is at most 1 - FamilyLevel.
	FamilyLevel = 0.95
	// FamilyClaims is among how many claims 1 - FamilyLevel is divided
	// (Bonferroni). It leaves room for claims that are not written yet.
	FamilyClaims = 500
	// ClaimLevel is the confidence in one verdict.
	ClaimLevel = 1 - (1-FamilyLevel)/FamilyClaims
)

// Correction says how verdicts are corrected for there being many.
func Correction() string {
	return fmt.Sprintf("Each claim is decided at the confidence level %s %%, whichever scenarios are run: "+
		"Bonferroni's correction of %s %% for the library's claims, of which there may be %d. "+
		"The parts of one claim share its level by Holm's method. Intervals have the quantiles of "+
		"exponential values, which are skewed, in place of Student's, and are exact for values of which there are two",
		percent(ClaimLevel), percent(FamilyLevel), FamilyClaims)
}

// percent is a fraction in percent with up to six digits: 1e-6 is 0.0001.
func percent(fraction float64) string {
	rounded, err := strconv.ParseFloat(strconv.FormatFloat(100*fraction, 'g', 6, 64), 64)
	if err != nil {
		panic(err) // it has just been formatted
	}
	return strconv.FormatFloat(rounded, 'f', -1, 64)
}
