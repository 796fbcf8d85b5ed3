/// Codes that stand for the same language or country, as devices of different ages and makers send them.
///
/// Source: CLDR 49, `supplementalMetadata.xml`, `languageAlias` and `territoryAlias` where one code replaces another: what ISO
/// gave up (`iw` is `he`, `BU` is `MM`), longer codes of the same language (`deu` is `de`), and what is asked for under a wider
/// name (`cmn` is `zh`). Languages without a code of two letters are there as far as systems are sold in them. Written out
/// because a device's own list depends on its system.
enum CodeAliases {
    /// All codes of one language or country, by each of them.
    struct Table: Sendable {
        private var spellings: [String: [String]] = [:]

        /// - Parameter text: `code:other,other code:other`; the first is the one that holds today.
        fileprivate init(_ text: String) {
            for entry in text.split(separator: " ") {
                let parts = entry.split(separator: ":")
                let codes = [String(parts[0])] + parts[1].split(separator: ",").map(String.init)
                for code in codes { spellings[code] = codes }
            }
        }

        /// The codes of what a code stands for, the one that holds today first.
        func spellings(of code: String) -> [String] { spellings[code] ?? [code] }
    }

    /// ISO 639 codes in small letters.
    static let languages = Table(
        """
        aa:aar ab:abk ae:ave af:afr ak:aka,tw,twi am:amh an:arg ar:ara,arb as:asm av:ava ay:aym,ayr az:aze,azj ba:bak \
        bal:bcc be:bel bg:bul bho:bh,bih bi:bis bm:bam bn:ben bo:bod,tib br:bre bs:bos ca:cat ce:che ch:cha chm:mhr \
        co:cos cr:cre,cwd cs:ces,cze cu:chu cv:chv cy:cym,wel da:dan de:deu,ger doi:dgo dv:div dz:adp,dzo ee:ewe \
        el:ell,gre en:eng eo:epo es:spa et:ekk,est eu:baq,eus fa:drw,fas,per,pes,prs,tnf ff:fuc,ful fi:fin fil:tgl,tl \
        fj:fij fo:fao fr:fra,fre fy:fry ga:gle gd:gla gl:glg gn:grn,gug gu:guj,prp gv:glv ha:hau he:heb,iw hi:hin \
        hmn:hea ho:hmo hr:hrv,scr ht:hat hu:hun hy:arm,hye hz:her ia:ina id:in,ind ie:ile ig:ibo ii:iii ik:esk,ipk \
        io:ido is:ice,isl it:ita iu:ike,iku ja:jpn jv:jav,jw ka:geo,kat kg:kng,kon ki:kik kj:kua kk:kaz kl:kal km:khm \
        kn:kan ko:kor kok:gom kpe:xpe kr:kau,knc ks:kas ku:kmr,kur kv:kom,kpv kw:cor ky:kir la:lat lah:pnb lb:ltz \
        lg:lug li:lim ln:lin lo:lao lt:lit lu:lub luy:bxk lv:lav,lvs mg:mlg,plt mh:mah mi:mao,mri mk:mac,mkd ml:mal \
        mn:drh,khk,mon mr:mar ms:may,msa,zsm mt:mlt mwr:dhd my:bur,mya na:nau nb:nob nd:nde ne:nep,npi ng:ndo \
        nl:dut,nld nn:nno no:nor nr:nbl nv:nav ny:nya oc:oci oj:ojg,oji om:gaz,orm or:ori,ory os:oss pa:pan pi:pli \
        pl:pol ps:pbu,pus pt:por qu:que,quz raj:mup rm:roh rn:run ro:mo,mol,ron,rum rom:rmy ru:rus rw:kin sa:cls,san \
        sc:src,srd sd:snd se:sme sg:sag si:sin sk:slk,slo sl:slv sm:smo sn:sna so:som sq:alb,als,sqi \
        sr:cnr,hbs,scc,sh,srp ss:ssw st:sot su:sun sv:swe sw:swa,swc,swh syr:cld ta:tam te:tel tg:tgk th:tha ti:tir \
        tk:tuk tn:tsn to:ton tr:tur ts:tso tt:tat ty:tah ug:uig uk:ukr ur:urd uz:uzb,uzn ve:ven vi:vie vo:vol wa:wln \
        wo:wol xh:xho yi:ji,ydd,yid yo:yor za:zha,zyb zh:chi,cmn,zho zu:zul zza:diq
        """)

    /// Norwegian, which devices name as a whole or by how it is written, with the nearest other names first.
    static let norwegian: [(name: String, nearest: [String])] = [("no", ["nb", "nn"]), ("nb", ["no"]), ("nn", ["no"])]

    /// ISO 3166-1 codes of two letters, in capitals, and the European Union's `EL`.
    static let countries = Table(
        """
        AQ:NQ BF:HV BJ:DY CD:ZR DE:DD EU:QU FR:FX GB:UK GR:EL KI:CT MM:BU PA:PZ TL:TP UM:JT,MI,PU,WK VN:VD VU:NH \
        YE:YD ZW:RH
        """)
}
