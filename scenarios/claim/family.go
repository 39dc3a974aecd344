package claim

import (
	"fmt"
	"strconv"
)

// The correction for many claims. Each claim is decided at ClaimLevel, a constant: a claim's
// verdict does not depend on the scenarios that are run with it, nor on the present number of
// claims in the library. A test of the library checks that the sum of 1 - level over all
// claims is at most 1 - FamilyLevel.
const (
	// FamilyLevel is the confidence in all verdicts of the library together:
	// the chance that any part is decided wrongly is at most 1 - FamilyLevel.
	FamilyLevel = 0.95
	// FamilyClaims is the number of claims among which 1 - FamilyLevel is divided
	// (Bonferroni). It leaves room for future claims.
	FamilyClaims = 500
	// ClaimLevel is the confidence in one verdict.
	ClaimLevel = 1 - (1-FamilyLevel)/FamilyClaims
)

// Correction describes the correction of verdicts for the number of claims.
func Correction() string {
	return fmt.Sprintf("Each claim is decided at a confidence level of at least %s %%, whichever scenarios are run: "+
		"Bonferroni's correction of %s %% for the library's claims, of which there may be %d at that level. "+
		"The parts of one claim share its level by Holm's method. Intervals have the quantiles of "+
		"exponential values, which are skewed, in place of Student's, and are exact for values of which there are two",
		percent(ClaimLevel), percent(FamilyLevel), FamilyClaims)
}

// percent returns a fraction in percent with up to six digits: 1e-6 is 0.0001.
func percent(fraction float64) string {
	rounded, err := strconv.ParseFloat(strconv.FormatFloat(100*fraction, 'g', 6, 64), 64)
	if err != nil {
		panic(err) // it has just been formatted
	}
	return strconv.FormatFloat(rounded, 'f', -1, 64)
}
