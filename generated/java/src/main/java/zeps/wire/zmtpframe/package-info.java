/** The messages of ZMTP frames. */
package zeps.wire.zmtpframe;
