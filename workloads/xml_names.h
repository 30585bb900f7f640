/* SPDX-License-Identifier: Apache-2.0 */
/* xml_names - the namespaces and identifiers of SOAP 1.1, WS-Security 1.0 and XML security. */
#ifndef WORKLOADS_XML_NAMES_H
#define WORKLOADS_XML_NAMES_H

#define XML_SOAP "http://schemas.xmlsoap.org/soap/envelope/"
#define XML_DSIG "http://www.w3.org/2000/09/xmldsig#"
#define XML_ENC  "http://www.w3.org/2001/04/xmlenc#"
#define XML_C14N "http://www.w3.org/2001/10/xml-exc-c14n#"

/* OASIS, WSS SOAP Message Security 1.0, X.509 and Username Token Profiles 1.0. */
#define XML_OASIS "http://docs.oasis-open.org/wss/2004/01/oasis-200401-wss-"
#define XML_WSSE  XML_OASIS "wssecurity-secext-1.0.xsd"
#define XML_WSU   XML_OASIS "wssecurity-utility-1.0.xsd"

#define XML_BASE64          XML_OASIS "soap-message-security-1.0#Base64Binary"
#define XML_X509_TOKEN      XML_OASIS "x509-token-profile-1.0#X509v3"
#define XML_X509_KEY_ID     XML_OASIS "x509-token-profile-1.0#X509SubjectKeyIdentifier"
#define XML_PASSWORD_DIGEST XML_OASIS "username-token-profile-1.0#PasswordDigest"

#define XML_ENC_CONTENT XML_ENC "Content"
#define XML_ENC_KEY     XML_ENC "EncryptedKey"

/* Our own: what stands in a body. */
#define XML_MESSAGE "urn:cipherwatt:message:1"

#endif
