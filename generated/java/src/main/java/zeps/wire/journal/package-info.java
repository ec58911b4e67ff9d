/** The messages of ZEPS journal. */
package zeps.wire.journal;
